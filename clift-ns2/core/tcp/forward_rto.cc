#include "core/tcp/forward_rto.h"

namespace clift::tcp {

void ForwardRto::begin(std::int64_t recovery_point) {
  step_ = 2;
  recovery_point_ = recovery_point;
}

ForwardRto::Verdict ForwardRto::on_ack(const Ack& ack) {
  if (step_ == 2) {
    if (!ack.advances) return Verdict::none;
    if (ack.una >= recovery_point_) {  // step 2a: the retransmission filled the only hole
      step_ = 0;
      return Verdict::genuine;
    }
    step_ = 3;
    return Verdict::send_new;
  }
  if (step_ == 3) {
    const bool is_spurious = ack.delivers_original && !ack.delivers_new;  // step 3b
    if (is_spurious || ack.delivers_new || ack.advances || ack.is_duplicate) {
      step_ = 0;
      return is_spurious ? Verdict::spurious : Verdict::genuine;
    }
  }
  return Verdict::none;
}

}  // namespace clift::tcp
