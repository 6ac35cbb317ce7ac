#include "core/tcp/congestion/reno.h"

namespace clift::tcp {

std::int64_t Reno::reduced_ssthresh(const CongestionEvent&) { return static_cast<std::int64_t>(cwnd_ / 2.0); }

void Reno::avoid_congestion(std::int64_t acked, const AckSample&) { cwnd_ += static_cast<double>(acked) / cwnd_; }

}  // namespace clift::tcp
