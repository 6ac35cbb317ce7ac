#include "emulate/wire.h"

#include <time.h>

#include <algorithm>
#include <utility>

namespace clift {

namespace {

constexpr int calls_at_a_time = 16;  // reads from one interface before due packets are delivered

schema::PacketEvent event_of(Fate fate) {
  switch (fate) {
    case Fate::lost:
      return schema::PacketEvent::link_lost;
    case Fate::unsettled:
      return schema::PacketEvent::link_unsettled;
    default:
      return schema::PacketEvent::received;
  }
}

}  // namespace

Nanoseconds monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * Nanoseconds{1'000'000'000} + now.tv_nsec;
}

Wire::Wire(Direction forward, Direction back, std::unique_ptr<PacketRecords> records)
    : directions_{std::move(forward), std::move(back)}, records_(std::move(records)), read_(Tun::most_bytes) {
  begin();
}

void Wire::begin() { begin_ns_ = monotonic_ns(); }

Nanoseconds Wire::now_ns() const { return monotonic_ns() - begin_ns_; }

void Wire::deliver() {
  for (Direction& direction : directions_) settle(direction);
}

Nanoseconds Wire::next_due_ns() const {
  return std::min(directions_[0].link.next_due_ns(), directions_[1].link.next_due_ns());
}

void Wire::take(std::uint8_t from) {
  for (int i = 0; i < calls_at_a_time; ++i) {
    const std::size_t size = directions_[from].from.read(read_.data());
    if (size == 0) return;
    const Nanoseconds now = now_ns();
    frames_.clear();
    cut({read_.data(), size}, frames_);
    for (Frame& frame : frames_) take(from, std::move(frame), now);
  }
}

void Wire::take(std::uint8_t from, Frame frame, Nanoseconds now_ns) {
  const ByteView bytes = packet_in(frame);
  if (is_housekeeping(bytes)) return;
  WireLink::Packet packet;
  packet.record.time_ns = now_ns;
  packet.record.direction = from;
  packet.record.size_bytes = static_cast<std::uint32_t>(bytes.size);
  packet.record.uid = packets_++;
  flows_.number(bytes, from, packet.record);
  packet.ecn = ecn_of(bytes);
  packet.payload = std::move(frame);
  record(packet.record, schema::PacketEvent::sent, now_ns);
  directions_[from].link.take(now_ns, std::move(packet));
  record_queue(directions_[from].link, now_ns);
}

void Wire::record_queue(WireLink& link, Nanoseconds now_ns) {
  while (const auto found = link.queue_event()) record(found->packet.record, found->event, now_ns);
}

void Wire::settle(Direction& direction) {
  while (auto outcome = direction.link.outcome(now_ns())) {
    const schema::PacketRecord& sent = outcome->packet.record;
    const bool delivered = outcome->fate == Fate::delivered;
    if (outcome->is_marked) mark(outcome->packet.payload);
    if (delivered && !direction.to.write(outcome->packet.payload)) ++direction.refused;
    const Nanoseconds now = now_ns();
    if (delivered) direction.delays.add(now - sent.time_ns);
    direction.lateness.add(now - outcome->due_ns);
    record(sent, event_of(outcome->fate), now);
  }
  record_queue(direction.link, now_ns());
}

void Wire::record(schema::PacketRecord record, schema::PacketEvent event, Nanoseconds time_ns) {
  if (!records_) return;
  record.delay_ns = event == schema::PacketEvent::received ? time_ns - record.time_ns : schema::unsettled;
  record.time_ns = time_ns;
  record.event = static_cast<std::uint8_t>(event);
  records_->append(record);
}

void Wire::close() {
  if (records_) records_->close();
  records_.reset();
}

}  // namespace clift
