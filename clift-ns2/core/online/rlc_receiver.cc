#include "core/online/rlc_receiver.h"

#include <algorithm>
#include <utility>

namespace clift {

void RlcReceiver::take(std::int64_t sn, bool poll, Nanoseconds now_ns) {
  const bool is_discarded = settled_ns(sn) != never;
  if (!is_discarded) {
    settle(sn, now_ns, true);
    watch_gaps(now_ns);
  }
  if (!poll) return;
  if (is_discarded || sn < rx_highest_status_) {
    trigger_status(now_ns);
  } else {
    waiting_poll_ = std::max(waiting_poll_, sn);
  }
}

void RlcReceiver::skip(std::int64_t sn, Nanoseconds now_ns) {
  settle(sn, now_ns, false);
  watch_gaps(now_ns);
}

// Acknowledged mode reports the gaps that the timer has watched, unacknowledged mode gives them up.
void RlcReceiver::end_reassembly() {
  const Nanoseconds now_ns = std::exchange(reassembly_due_ns_, never);
  if (options_.acknowledged) {
    rx_highest_status_ = first_missing_from(rx_next_status_trigger_);
  } else {
    for (std::int64_t sn = rx_next_; sn < rx_next_status_trigger_; ++sn) {
      if (settled_ns(sn) == never) settle(sn, now_ns, false);
    }
    rx_highest_status_ = rx_next_;
  }
  start_reassembly(rx_highest_status_, now_ns);
  if (options_.acknowledged) trigger_status(now_ns);
}

void RlcReceiver::report() {
  const Nanoseconds now_ns = std::exchange(status_due_ns_, never);
  reports_.push_back({now_ns, rx_highest_status_});
  prohibited_until_ns_ = sum_of(now_ns, options_.status_prohibit_ns);
}

void RlcReceiver::answer_waiting_poll(Nanoseconds now_ns) {
  if (waiting_poll_ < 0 || waiting_poll_ >= rx_highest_status_) return;
  waiting_poll_ = -1;
  trigger_status(now_ns);
}

Nanoseconds RlcReceiver::settled_ns(std::int64_t sn) const {
  if (sn < first_) return 0;
  const auto place = static_cast<std::size_t>(sn - first_);
  return place < entries_.size() ? entries_[place].settled_ns : never;
}

void RlcReceiver::forget_before(std::int64_t sn) {
  for (; first_ < sn; ++first_) entries_.pop_front();
}

StatusReport RlcReceiver::take_report() {
  const StatusReport report = reports_.front();
  reports_.pop_front();
  return report;
}

std::vector<SettledSegment> RlcReceiver::take_settled() { return std::exchange(settled_, {}); }

void RlcReceiver::settle(std::int64_t sn, Nanoseconds now_ns, bool arrived) {
  const auto place = static_cast<std::size_t>(sn - first_);
  if (place >= entries_.size()) entries_.resize(place + 1);
  entries_[place] = {now_ns, arrived};
  const bool waits = arrived && options_.in_order;
  if (!waits) settled_.push_back({sn, now_ns, arrived});
  rx_next_highest_ = std::max(rx_next_highest_, sn + 1);
  if (sn == rx_highest_status_) rx_highest_status_ = first_missing_from(sn);
  if (sn != rx_next_) return;
  for (rx_next_ = first_missing_from(sn); options_.in_order && sn < rx_next_; ++sn) {
    if (entries_[static_cast<std::size_t>(sn - first_)].arrived) settled_.push_back({sn, now_ns, true});
  }
}

void RlcReceiver::watch_gaps(Nanoseconds now_ns) {
  if (rx_next_status_trigger_ <= rx_next_) reassembly_due_ns_ = never;
  if (reassembly_due_ns_ == never) start_reassembly(rx_next_, now_ns);
}

// Starts t-Reassembly if there is a gap from the segment `reported` on.
void RlcReceiver::start_reassembly(std::int64_t reported, Nanoseconds now_ns) {
  if (rx_next_highest_ <= reported + 1) return;
  reassembly_due_ns_ = sum_of(now_ns, options_.reassembly_ns);
  rx_next_status_trigger_ = rx_next_highest_;
}

// A report is triggered, now or already: one report answers all triggers before it (TS 38.322, section 5.3.4).
void RlcReceiver::trigger_status(Nanoseconds now_ns) {
  if (status_due_ns_ == never) status_due_ns_ = std::max(now_ns, prohibited_until_ns_);
}

std::int64_t RlcReceiver::first_missing_from(std::int64_t sn) const {
  while (sn < rx_next_highest_ && settled_ns(sn) != never) ++sn;
  return sn;
}

}  // namespace clift
