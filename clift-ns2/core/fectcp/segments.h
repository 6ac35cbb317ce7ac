// Unacknowledged segments: sending time, block and timer of each. An ACK covers a segment and all before it. An expired
// timer also expires those of all earlier segments, whose ACKs were due earlier.
#pragma once

#include <cstdint>
#include <deque>

#include "core/time.h"

namespace clift::fectcp {

class Segments {
 public:
  // Adds the next segment, number next().
  void on_sent(Nanoseconds now_ns, Nanoseconds deadline_ns, std::int64_t block);

  std::int64_t next() const { return first_ + static_cast<std::int64_t>(sent_.size()); }
  std::int64_t first() const { return first_; }          // first unacknowledged segment
  std::int64_t in_transit() const { return next() - live_; }

  bool is_open(std::int64_t number) const { return number >= first_ && number < next(); }
  Nanoseconds sent_ns(std::int64_t number) const { return sent_[static_cast<std::size_t>(number - first_)].time_ns; }

  Nanoseconds next_deadline_ns() const { return timers_.empty() ? never : timers_.front().deadline_ns; }
  std::int64_t next_to_expire() const { return timers_.front().number; }

  // Both call `gone(block)` for each segment that leaves transit.
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
  std::int64_t live_ = 1;   // first segment with a running timer
  std::deque<Sent> sent_;   // from first_
  // Deadlines increase with the numbers: a timer that would not expire before a later segment's is left out, because
  // the later segment's timer expires both.
  std::deque<Timer> timers_;
};

}  // namespace clift::fectcp
