#include "core/tcp/undo.h"

namespace clift::tcp {

void UndoDetector::begin() { end(); }

void UndoDetector::on_retransmitted(std::int64_t sequence, Nanoseconds now_ns) {
  if (retransmissions_.empty()) {
    first_ = sequence;
    first_ns_ = now_ns;
  }
  ++retransmissions_[sequence];
}

// A receiver echoes the timestamp of what it has waited for: the ACK tells of the first retransmission when the
// receiver has waited for that packet.
bool UndoDetector::on_advance(std::int64_t prior_una, std::int64_t una, Nanoseconds echo_ns) {
  if (first_ns_ < 0 || una <= first_) return false;
  const bool is_earlier = prior_una == first_ && echo_ns >= 0 && echo_ns < first_ns_;
  first_ns_ = -1;
  return is_earlier;
}

bool UndoDetector::on_dsack(std::int64_t sequence) {
  const auto found = retransmissions_.find(sequence);
  if (found == retransmissions_.end()) return false;
  if (--found->second == 0) retransmissions_.erase(found);
  return retransmissions_.empty();
}

void UndoDetector::end() {
  retransmissions_.clear();
  first_ns_ = -1;
}

}  // namespace clift::tcp
