// Segments that no ACK covers yet: when each was sent, of which block, and when its timer expires. An ACK covers a
// segment and all before it. A timer that expires takes those before it along, whose ACKs would have been due earlier.
#pragma once

#include <cstdint>
#include <deque>

#include "core/time.h"

namespace clift::fectcp {

class Segments {
 public:
  // The next segment is sent; its number is next().
  void on_sent(Nanoseconds now_ns, Nanoseconds deadline_ns, std::int64_t block);

  std::int64_t next() const { return first_ + static_cast<std::int64_t>(sent_.size()); }
  std::int64_t first() const { return first_; }          // the first that no ACK covers
  std::int64_t in_transit() const { return next() - live_; }

  bool is_open(std::int64_t number) const { return number >= first_ && number < next(); }
  Nanoseconds sent_ns(std::int64_t number) const { return sent_[static_cast<std::size_t>(number - first_)].time_ns; }

  Nanoseconds next_deadline_ns() const { return timers_.empty() ? never : timers_.front().deadline_ns; }
  std::int64_t next_to_expire() const { return timers_.front().number; }

  // Both call `gone(block)` for each segment that is in transit no longer.
  template <typename Gone>
  void acknowledge(std::int64_t number, Gone gone) {
    leave(number, gone);
    while (first_ <= number) {
      sent_.pop_front();
      ++first_;
    }
  }
  template <typename Gone>
  void expire(std::int64_t number, Gone gone) {
    leave(number, gone);
  }

 private:
  struct Sent {
    Nanoseconds time_ns;
    std::int64_t block;
  };
  struct Timer {
    Nanoseconds deadline_ns;
    std::int64_t number;
  };

  template <typename Gone>
  void leave(std::int64_t number, Gone gone) {
    for (; live_ <= number; ++live_) gone(sent_[static_cast<std::size_t>(live_ - first_)].block);
    while (!timers_.empty() && timers_.front().number <= number) timers_.pop_front();
  }

  std::int64_t first_ = 1;  // segment 0 is the handshake
  std::int64_t live_ = 1;   // the first whose timer runs
  std::deque<Sent> sent_;   // from first_
  // Deadlines rise with the numbers: a timer that would expire no earlier than a later segment's is left out, because
  // that one takes it along.
  std::deque<Timer> timers_;
};

}  // namespace clift::fectcp
