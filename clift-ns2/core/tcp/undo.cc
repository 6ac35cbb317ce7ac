#include "core/tcp/undo.h"

namespace clift::tcp {

void UndoDetector::on_retransmitted(std::int64_t sequence, Nanoseconds now_ns) {
  if (first_ns_ < 0) first_ns_ = now_ns;
  ++retransmissions_[sequence];
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
