// The far end's buffer, which releases packets in the order in which they joined the queue.
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
  Nanoseconds time_ns;  // without propagation; a lost packet's is when the far end learns of it
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

  // The fate of a packet is settled at `time_ns`, which may lie ahead; each packet from 0 on is settled once.
  void settle(std::int64_t packet, Nanoseconds time_ns, bool delivered);

  // Releases what has waited as long as it may by `now_ns`.
  void expire(Nanoseconds now_ns);

  // When `expire` is next needed; `never` when nothing waits for its hold time.
  Nanoseconds next_expiry_ns() const { return expiries_.empty() ? never : expiries_.top().first; }

  // What has been released since the last call.
  std::vector<Release> take_released();

 private:
  struct Entry {
    Nanoseconds time_ns = 0;
    bool settled = false;
    bool delivered = false;
    bool released = false;
  };

  using Expiry = std::pair<Nanoseconds, std::int64_t>;  // of a packet that has been settled

  Nanoseconds longest_ns(const Entry& entry) const;
  void release(std::int64_t packet, Entry& entry, Nanoseconds time_ns);
  void forget_released();

  ResequencerOptions options_;
  std::deque<Entry> entries_;    // of packets from first_ on
  std::int64_t first_ = 0;       // first packet that is not settled, or follows one that is not
  Nanoseconds settled_ns_ = 0;   // when the fate of every packet before first_ is settled
  std::priority_queue<Expiry, std::vector<Expiry>, std::greater<>> expiries_;  // its top is not released
  std::vector<Release> released_;
};

}  // namespace clift
