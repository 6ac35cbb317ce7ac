#include "core/aqm/codel_control.h"

#include <cmath>

#include "core/setting_table.h"

namespace clift {

void CoDelOptions::declare(SettingTable& table) {
  table.add_seconds("target", target_ns, 1'000, 10'000'000'000);
  table.add_seconds("interval", interval_ns, 10'000, 100'000'000'000);
  table.add_whole("mtu_bytes", mtu_bytes, 0, 65'535);
}

bool CoDelControl::take(Fifo& queue, Nanoseconds now_ns, const CoDelOptions& options, QueuedPacket& packet) {
  may_drop_ = false;
  const bool found = !queue.empty();
  if (found) packet = queue.pop();
  if (!found || now_ns - packet.arrival_ns < options.target_ns || queue.load().bytes <= options.mtu_bytes) {
    may_drop_from_ns_ = never;
  } else if (may_drop_from_ns_ == never) {
    may_drop_from_ns_ = now_ns + options.interval_ns;
  } else {
    may_drop_ = now_ns >= may_drop_from_ns_;
  }
  return found;
}

Nanoseconds CoDelControl::next_drop_ns(Nanoseconds last_ns, const CoDelOptions& options) const {
  return last_ns + std::llround(static_cast<double>(options.interval_ns) / std::sqrt(static_cast<double>(count_)));
}

}  // namespace clift
