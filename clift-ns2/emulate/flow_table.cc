#include "emulate/flow_table.h"

#include <algorithm>
#include <limits>

namespace clift {

namespace {

constexpr std::uint16_t most = std::numeric_limits<std::uint16_t>::max();
constexpr std::int64_t largest_window = std::int64_t{1} << 30;  // RFC 7323

void count_up(std::uint16_t& value) {
  if (value < most) ++value;
}

}  // namespace

SegmentNumbers::Sent SegmentNumbers::begin(std::uint32_t sequence) {
  if (!begun_ || sequence + 1 != first_) *this = SegmentNumbers();
  first_ = sequence + 1;
  begun_ = true;
  count_up(begins_);
  return {0, begins_};
}

// Sequence numbers wrap at 2^32; this takes the value nearest to the last one.
std::int64_t SegmentNumbers::offset_of(std::uint32_t sequence) const {
  const std::int64_t near = ends_.empty() ? 0 : ends_.back();
  const auto distance = static_cast<std::int32_t>(sequence - first_ - static_cast<std::uint32_t>(near));
  return near + distance;
}

SegmentNumbers::Sent SegmentNumbers::sent(std::uint32_t sequence, std::size_t payload_bytes) {
  if (!begun_) {
    first_ = sequence;
    begun_ = true;
  }
  const std::int64_t begin = offset_of(sequence), end = begin + static_cast<std::int64_t>(payload_bytes);
  if (ends_.empty() || begin >= ends_.back()) {
    ends_.push_back(end);
    transmissions_.push_back(1);
    forget();
    return {forgotten_ + static_cast<std::int64_t>(ends_.size()), 1};
  }
  // At least partly sent before: the segment that contained its first byte.
  const std::int64_t segment = number_at(begin);
  std::uint16_t& transmissions = transmissions_[static_cast<std::size_t>(segment - forgotten_ - 1)];
  count_up(transmissions);
  ends_.back() = std::max(ends_.back(), end);
  return {segment, transmissions};
}

std::int64_t SegmentNumbers::acknowledged(std::uint32_t sequence) const { return number_at(offset_of(sequence)) - 1; }

std::int64_t SegmentNumbers::number_at(std::int64_t offset) const {
  return forgotten_ + (std::upper_bound(ends_.begin(), ends_.end(), offset) - ends_.begin()) + 1;
}

// Forgets when it can forget a quarter, so that a segment moves three times on average.
void SegmentNumbers::forget() {
  const std::int64_t until = ends_.back() - largest_window;
  if (ends_[ends_.size() / 4] > until) return;
  const auto count = std::upper_bound(ends_.begin(), ends_.end(), until) - ends_.begin();
  ends_.erase(ends_.begin(), ends_.begin() + count);
  transmissions_.erase(transmissions_.begin(), transmissions_.begin() + count);
  forgotten_ += count;
}

void FlowTable::number(ByteView bytes, std::uint8_t direction, schema::PacketRecord& record) {
  const auto packet = parsed(bytes);
  Key key{0, 0, {}, {}};
  if (packet) {
    const bool forward = direction == 0;
    key = {packet->version, packet->protocol, forward ? packet->from : packet->to, forward ? packet->to : packet->from};
  }
  const auto next = static_cast<std::uint16_t>(std::min<std::size_t>(flows_.size(), most));
  Flow& flow = flows_.try_emplace(key, Flow{next, {}}).first->second;
  record.flow = flow.number;
  if (!packet || !packet->tcp) return;
  const IpPacket::Tcp& tcp = *packet->tcp;
  SegmentNumbers& own = flow.segments[direction];
  if (tcp.syn || tcp.payload_bytes > 0) {
    const auto sent = tcp.syn ? own.begin(tcp.sequence) : own.sent(tcp.sequence, tcp.payload_bytes);
    record.sequence = sent.segment;
    record.transmission = sent.transmission;
  } else if (tcp.ack) {
    record.sequence = flow.segments[1 - direction].acknowledged(tcp.acknowledged);
  }
}

}  // namespace clift
