#include "core/tcp/tail_loss_probe.h"

namespace clift::tcp {

Nanoseconds TailLossProbe::timeout_ns(Nanoseconds srtt_ns, std::int64_t flight) {
  if (srtt_ns == 0) return 1'000'000'000;
  return 2 * srtt_ns + (flight == 1 ? most_ack_delay_ns : 0);
}

void TailLossProbe::on_sent(std::int64_t end, bool is_retransmission) {
  end_ = end;
  is_retransmission_ = is_retransmission;
  rtt_measured_ = false;
}

bool TailLossProbe::is_answered_by(std::int64_t sequence) const {
  return is_outstanding() && is_retransmission_ && sequence == end_ - 1;
}

bool TailLossProbe::on_ack(std::int64_t ack, bool is_duplicate, bool has_own_dsack) {
  if (!is_outstanding() || ack < end_) return false;
  if (!is_retransmission_ || has_own_dsack || (is_duplicate && ack == end_)) {
    end_ = -1;  // new data, or both copies arrived
    return false;
  }
  if (ack == end_) return false;  // it is not known yet which copy arrived
  end_ = -1;
  return true;
}

}  // namespace clift::tcp
