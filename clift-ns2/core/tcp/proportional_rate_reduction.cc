#include "core/tcp/proportional_rate_reduction.h"

#include <algorithm>

namespace clift::tcp {

void ProportionalRateReduction::begin(std::int64_t ssthresh, std::int64_t recover_flight) {
  ssthresh_ = ssthresh;
  recover_flight_ = std::max<std::int64_t>(recover_flight, 1);
  delivered_ = out_ = cwnd_ = 0;
}

void ProportionalRateReduction::on_ack(std::int64_t newly_delivered, std::int64_t in_flight, bool is_safe) {
  if (newly_delivered == 0) {
    cwnd_ = in_flight;
    return;
  }
  delivered_ += newly_delivered;
  std::int64_t count;
  if (in_flight > ssthresh_) {
    count = (delivered_ * ssthresh_ + recover_flight_ - 1) / recover_flight_ - out_;
  } else {
    count = std::max(delivered_ - out_, newly_delivered) + (is_safe ? 1 : 0);
    count = std::min(ssthresh_ - in_flight, count);
  }
  // The first retransmission is always allowed.
  count = std::max<std::int64_t>(count, out_ == 0 ? 1 : 0);
  cwnd_ = in_flight + count;
}

}  // namespace clift::tcp
