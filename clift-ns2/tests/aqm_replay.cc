// Replays arrivals through a link as emulator and kernel have it, on a clock of its own, for twins in Python:
// `aqm_replay KEY VALUE ...`, settings of a path, reads `TIME_NS SIZE FLOW ECN` lines and writes `NUMBER EVENT TIME_NS`
// lines of the forward link.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <utility>

#include "core/path_settings.h"
#include "core/setting_table.h"
#include "emulate/link.h"

namespace clift {

namespace {

// Of the twins as well (Knuth's MMIX generator).
class Lcg {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (static_cast<double>(state_ >> 11) + 0.5) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_ = 1;
};

using NumberedLink = Link<std::int64_t>;

void say(std::int64_t number, const char* event, Nanoseconds time_ns) {
  std::printf("%lld %s %lld\n", static_cast<long long>(number), event, static_cast<long long>(time_ns));
}

void report(NumberedLink& link, Nanoseconds now_ns) {
  while (const auto outcome = link.outcome(now_ns)) {
    say(outcome->packet.payload, outcome->is_marked ? "marked" : "sent", outcome->due_ns);
  }
  while (const auto found = link.queue_event()) {
    if (found->event == schema::PacketEvent::marked) continue;
    say(found->packet.payload, found->event == schema::PacketEvent::queue_dropped ? "limit" : "dropped", found->time_ns);
  }
}

void replay(const PathSettings& path) {
  const auto trace = path.links[0].opened();
  NumberedLink link(path.links[0].plan(trace.get()), path.queue, 0, Lcg());
  Nanoseconds now_ns;
  std::uint32_t size_bytes;
  std::uint16_t flow;
  int ecn;
  NumberedLink::Packet packet;
  while (std::cin >> now_ns >> size_bytes >> flow >> ecn) {
    packet.record.size_bytes = size_bytes;
    packet.record.flow = flow;
    packet.ecn = static_cast<Ecn>(ecn);
    link.take(now_ns, packet);
    // Fates and times do not depend on when the host looks.
    if (packet.payload % 7 == 0) report(link, now_ns);
    packet.record.uid = ++packet.payload;
  }
  report(link, never - 1);
}

int replay(int argc, char** argv) {
  try {
    PathSettings path;
    SettingTable table;
    path.declare(table);
    for (int at = 1; at + 1 < argc; at += 2) table.set(argv[at], argv[at + 1]);
    path.complete();
    replay(path);
  } catch (const SettingError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace

}  // namespace clift

int main(int argc, char** argv) { return clift::replay(argc, argv); }
