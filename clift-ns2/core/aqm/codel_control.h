// CoDel's control of one queue (RFC 8289, section 5): the whole of CoDel, and of each flow of FQ-CoDel.
#pragma once

#include <cstdint>

#include "core/aqm/fifo.h"
#include "core/aqm/packet.h"
#include "core/time.h"

namespace clift {

class SettingTable;

struct CoDelOptions {
  Nanoseconds target_ns = 5'000'000;
  Nanoseconds interval_ns = 100'000'000;
  std::int64_t mtu_bytes = 1500;  // a backlog of at most this is no standing queue

  void declare(SettingTable& table);
};

class CoDelControl {
 public:
  // Takes the next packet out of the queue; false without one. `reject` marks a packet and returns true, or drops it and
  // returns false.
  template <class Reject>
  bool dequeue(Fifo& queue, Nanoseconds now_ns, const CoDelOptions& options, QueuedPacket& packet, Reject reject);

 private:
  // Takes the packet at the head and sets whether it may be dropped.
  bool take(Fifo& queue, Nanoseconds now_ns, const CoDelOptions& options, QueuedPacket& packet);

  // The control law: the n-th drop follows after interval / sqrt(n).
  Nanoseconds next_drop_ns(Nanoseconds last_ns, const CoDelOptions& options) const;

  Nanoseconds may_drop_from_ns_ = never;  // `never`: the last packet has waited less than the target
  Nanoseconds drop_next_ns_ = 0;
  std::int64_t count_ = 0;       // drops of this episode
  std::int64_t last_count_ = 0;  // at its beginning
  bool is_dropping_ = false;
  bool may_drop_ = false;
};

template <class Reject>
bool CoDelControl::dequeue(Fifo& queue, Nanoseconds now_ns, const CoDelOptions& options, QueuedPacket& packet,
                           Reject reject) {
  bool found = take(queue, now_ns, options, packet);
  if (!is_dropping_) {
    if (!may_drop_) return found;
    if (!reject(packet)) found = take(queue, now_ns, options, packet);
    is_dropping_ = true;
    // The rate of drops at which the last episode ended is a good beginning if that was lately.
    const std::int64_t drops = count_ - last_count_;
    count_ = drops > 1 && now_ns - drop_next_ns_ < 16 * options.interval_ns ? drops : 1;
    last_count_ = count_;
    drop_next_ns_ = next_drop_ns(now_ns, options);
    return found;
  }
  is_dropping_ = may_drop_;
  while (is_dropping_ && now_ns >= drop_next_ns_) {
    ++count_;
    const bool is_marked = reject(packet);
    if (!is_marked) {
      found = take(queue, now_ns, options, packet);
      is_dropping_ = may_drop_;
    }
    if (is_dropping_) drop_next_ns_ = next_drop_ns(drop_next_ns_, options);
    if (is_marked) break;
  }
  return found;
}

}  // namespace clift
