#include "core/fectcp/segments.h"

namespace clift::fectcp {

void Segments::on_sent(Nanoseconds now_ns, Nanoseconds deadline_ns, std::int64_t block) {
  while (!timers_.empty() && timers_.back().deadline_ns >= deadline_ns) timers_.pop_back();
  timers_.push_back({deadline_ns, next()});
  sent_.push_back({now_ns, block});
}

}  // namespace clift::fectcp
