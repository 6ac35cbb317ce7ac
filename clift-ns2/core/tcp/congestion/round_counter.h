// Rounds of packet time: a round ends with the acknowledgement of a segment that was sent after the round began.
#pragma once

#include <cstdint>

namespace clift::tcp {

// Counts rounds by the number of segments delivered so far, as the BBR drafts do (BBR.round_count). If segments arrive
// in order, a round ends with the acknowledgement of SND.NXT as it was when the round began (RFC 9406).
class RoundCounter {
 public:
  // An acknowledgement of a segment. `prior_delivered` segments had been delivered when it was sent, `delivered` by
  // now. Returns true if the acknowledgement starts a new round.
  bool advance(std::int64_t prior_delivered, std::int64_t delivered) {
    if (prior_delivered < end_) return false;
    end_ = delivered;
    ++count_;
    return true;
  }

  // Restarts the current round with the next segment sent.
  void restart(std::int64_t delivered) { end_ = delivered; }

  std::int64_t count() const { return count_; }

 private:
  std::int64_t end_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace clift::tcp
