#include "core/online/slots.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace clift {

TraceSlots::TraceSlots(PhyRows rows, std::int64_t unit_bytes, const Playback& playback)
    : rows_(rows),
      clock_(rows, playback),
      bytes_(rows, unit_bytes),
      start_ns_(playback.start_ns()),
      first_row_(clock_.first_from(start_ns_, 0)),
      next_row_(first_row_) {}

std::int64_t TraceSlots::row_from(Nanoseconds earliest_ns) const {
  return clock_.first_from(sum_of(earliest_ns, start_ns_), next_row_);
}

Nanoseconds TraceSlots::next_tx_ns(Nanoseconds earliest_ns) const {
  const std::int64_t row = row_from(earliest_ns);
  return clock_.ends_before(row + 1) ? never : clock_.tx_time_ns(row) - start_ns_;
}

std::int64_t TraceSlots::next_size_bytes(Nanoseconds earliest_ns) const {
  return bytes_.size(clock_.place_of(row_from(earliest_ns)).index);
}

Slot TraceSlots::take(Nanoseconds earliest_ns) {
  const std::int64_t row = row_from(earliest_ns);
  next_row_ = row + 1;
  clock_.stay_near(next_row_);
  ++used_;
  const Nanoseconds tx_ns = clock_.tx_time_ns(row) - start_ns_;
  const std::size_t index = clock_.place_of(row).index;
  const Nanoseconds decode_ns = rows_[index].decode_time_ns;
  const std::int64_t size_bytes = bytes_.size(index);
  const std::int32_t es_n0_mdb = rows_.have_es_n0() ? rows_.es_n0_mdb(index) : 0;
  used_bytes_ += size_bytes;
  return {tx_ns, tx_ns, sum_of(tx_ns, decode_ns), decode_ns == 0, size_bytes, es_n0_mdb};
}

void TraceSlots::pass(std::int64_t row) {
  if (row <= next_row_) return;
  next_row_ = row;
  clock_.stay_near(row);
}

std::optional<RowUse> TraceSlots::use_until(Nanoseconds now_ns) const {
  const Nanoseconds time_ns = sum_of(now_ns, start_ns_);
  const std::int64_t end = std::max(next_row_, clock_.first_from(sum_of(time_ns, 1), first_row_));
  const std::int64_t last = std::max(clock_.repetition_at(time_ns), clock_.repetition_of(std::max<std::int64_t>(end - 1, 0)));
  const std::int64_t repeats = last - clock_.repetition_at(start_ns_);
  return RowUse{end - first_row_, used_, repeats, bytes_.between(clock_, first_row_, end), used_bytes_};
}

RateSlots::RateSlots(std::int64_t unit_bytes, double unit_ns, const ChannelOptions& channel, UniformSource uniform)
    : unit_bytes_(unit_bytes), unit_ns_(unit_ns), losses_(channel, std::move(uniform)) {}

// Computed from the start of a busy period, so that rounding errors do not add up.
Nanoseconds RateSlots::free_ns() const {
  const double busy_ns = static_cast<double>(sent_since_) * unit_ns_;
  return busy_ns < 9e18 ? sum_of(busy_since_ns_, std::llround(busy_ns)) : never;
}

Nanoseconds RateSlots::next_tx_ns(Nanoseconds earliest_ns) const { return std::max(earliest_ns, free_ns()); }

std::int64_t RateSlots::next_number(Nanoseconds earliest_ns) const {
  constexpr double most = 9e18;
  return std::llround(std::min(static_cast<double>(next_tx_ns(earliest_ns)) / unit_ns_, most));
}

Slot RateSlots::take(Nanoseconds earliest_ns) {
  if (const Nanoseconds free = free_ns(); earliest_ns > free) {
    losses_.pass(static_cast<std::int64_t>(static_cast<double>(earliest_ns - free) / unit_ns_));
    busy_since_ns_ = earliest_ns;
    sent_since_ = 0;
  }
  const Nanoseconds tx_ns = free_ns();
  ++sent_since_;
  const Nanoseconds sent_ns = free_ns();
  return {tx_ns, sent_ns, sent_ns, losses_.next_is_lost(), unit_bytes_};
}

}  // namespace clift
