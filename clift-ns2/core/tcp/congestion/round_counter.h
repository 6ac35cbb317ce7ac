// Rounds of packet time: one ends when a segment is acknowledged that was sent after the round began.
#pragma once

#include <cstdint>

namespace clift::tcp {

// Counts rounds by the number of segments delivered so far, as the BBR drafts do (BBR.round_count). In the order of
// sending this is the same as waiting for the acknowledgement of SND.NXT as it was when the round began (RFC 9406).
class RoundCounter {
 public:
  // An acknowledgement of a segment that was sent when `prior_delivered` segments had been delivered; `delivered`
  // have been by now. True if it begins a new round.
  bool advance(std::int64_t prior_delivered, std::int64_t delivered) {
    if (prior_delivered < end_) return false;
    end_ = delivered;
    ++count_;
    return true;
  }

  // The present round begins anew, with what is sent from now on.
  void restart(std::int64_t delivered) { end_ = delivered; }

  std::int64_t count() const { return count_; }

 private:
  std::int64_t end_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace clift::tcp
