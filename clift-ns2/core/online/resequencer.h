// The receiver's buffer, which releases packets in the order in which they joined the queue.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/time.h"

namespace clift {

struct Release {
  std::int64_t packet;
  Nanoseconds time_ns;  // without propagation; for a lost packet, the time at which the receiver learns of the loss
  bool delivered;
};

struct ResequencerOptions {
  bool in_order = false;
  Nanoseconds hold_ns = 0;  // longest wait for earlier packets; 0: no bound
};

// A delivered packet waits until every earlier one is delivered or given up, at most the hold time.
class Resequencer {
 public:
  explicit Resequencer(const ResequencerOptions& options) : options_(options) {}

  // Settles the fate of a packet at `time_ns`, which may be in the future; each packet is settled once.
  void settle(std::int64_t packet, Nanoseconds time_ns, bool delivered);

  // Releases the packets whose hold time has ended by `now_ns`.
  void expire(Nanoseconds now_ns);

  // Time of the next necessary `expire`; `never` when no packet waits.
  Nanoseconds next_expiry_ns() const { return expiries_.empty() ? never : expiries_.top().first; }

  // The packets released since the last call.
  std::vector<Release> take_released();

 private:
  struct Entry {
    Nanoseconds time_ns = 0;
    bool settled = false;
    bool delivered = false;
    bool released = false;
  };

  using Expiry = std::pair<Nanoseconds, std::int64_t>;  // end of the hold time, settled packet

  Nanoseconds longest_ns(const Entry& entry) const;
  void release(std::int64_t packet, Entry& entry, Nanoseconds time_ns);
  void forget_released();

  ResequencerOptions options_;
  std::deque<Entry> entries_;    // entries of packets from first_ on
  std::int64_t first_ = 0;       // first unsettled packet, or first packet behind an unsettled one
  Nanoseconds settled_ns_ = 0;   // when the fate of every packet before first_ is settled
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> expiries_;  // its top is not released
  std::vector<Release> released_;
};

}  // namespace clift
