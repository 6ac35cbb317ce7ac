#include "core/online/rlc_sender.h"

#include <utility>

namespace clift {

std::int64_t RlcSender::begin(const std::vector<std::int64_t>& packets) {
  segments_.push_back({packets, 1, false, false});
  ++pdu_without_poll_;
  return tx_next_++;
}

std::int64_t RlcSender::repeat() {
  while (true) {
    const std::int64_t sn = repeats_.front();
    repeats_.pop_front();
    if (sn < tx_next_ack_ || !at(sn).waits) continue;
    at(sn).waits = false;
    ++at(sn).sent;
    --waiting_;
    return sn;
  }
}

bool RlcSender::polls(Nanoseconds sent_ns, bool has_more) {
  if (!options_.acknowledged) return false;
  const bool last = waiting_ == 0 && (is_full() || !has_more);
  if (!last && !poll_now_ && pdu_without_poll_ < options_.poll_pdus) return false;
  pdu_without_poll_ = 0;
  poll_now_ = false;
  poll_sn_ = tx_next_ - 1;
  poll_due_ns_ = sum_of(sent_ns, options_.poll_retransmit_ns);
  return true;
}

bool RlcSender::poll_depends_on_queue() const { return options_.acknowledged && !poll_now_; }

// With nothing else to send, the newest segment carries the poll.
void RlcSender::end_poll_timer(bool has_more) {
  poll_due_ns_ = never;
  poll_now_ = true;
  if (waiting_ == 0 && (is_full() || !has_more)) let_wait(tx_next_ - 1);
}

void RlcSender::take(const StatusReport& report, Nanoseconds now_ns, RlcReceiver& receiver) {
  for (std::int64_t sn = tx_next_ack_; sn < report.ack_sn; ++sn) {
    Segment& segment = at(sn);
    if (receiver.settled_ns(sn) <= report.made_ns || segment.given_up) {
      waiting_ -= std::exchange(segment.waits, false);
    } else if (segment.sent <= options_.max_retransmissions) {
      let_wait(sn);
    } else if (!segment.waits) {
      segment.given_up = true;
      if (receiver.settled_ns(sn) == never) receiver.skip(sn, now_ns);
    }
  }
  while (tx_next_ack_ < report.ack_sn) {
    if (receiver.settled_ns(tx_next_ack_) > report.made_ns && !at(tx_next_ack_).given_up) break;
    ++tx_next_ack_;
  }
  if (poll_sn_ < report.ack_sn) poll_due_ns_ = never;
}

void RlcSender::forget_before(std::int64_t sn) {
  for (; first_ < sn; ++first_) segments_.pop_front();
}

void RlcSender::let_wait(std::int64_t sn) {
  if (at(sn).waits) return;
  if (waiting_ == 0) repeats_.clear();
  at(sn).waits = true;
  ++waiting_;
  repeats_.push_back(sn);
}

}  // namespace clift
