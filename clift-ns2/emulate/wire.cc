#include "emulate/wire.h"

#include <time.h>

#include <algorithm>
#include <utility>

namespace clift {

namespace {

constexpr int packets_at_a_time = 64;  // packets read from one interface before due packets are delivered

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
    : directions_{std::move(forward), std::move(back)}, records_(std::move(records)) {
  begin();
}

void Wire::begin() { begin_ns_ = monotonic_ns(); }

Nanoseconds Wire::now_ns() const { return monotonic_ns() - begin_ns_; }

Nanoseconds Wire::move() {
  for (Direction& direction : directions_) settle(direction);
  take(0);
  take(1);
  return std::min(directions_[0].link.next_due_ns(), directions_[1].link.next_due_ns());
}

void Wire::take(std::uint8_t from) {
  Direction& direction = directions_[from];
  for (int i = 0; i < packets_at_a_time; ++i) {
    WireLink::Packet packet;
    if (!direction.from.read(packet.payload)) return;
    if (is_housekeeping(packet.payload)) continue;
    const Nanoseconds now = now_ns();
    packet.record.time_ns = now;
    packet.record.direction = from;
    packet.record.size_bytes = static_cast<std::uint32_t>(packet.payload.size());
    packet.record.uid = packets_++;
    flows_.number(packet.payload, from, packet.record);
    record(packet.record, schema::PacketEvent::sent, now);
    if (const auto dropped = direction.link.take(now, std::move(packet))) {
      record(dropped->record, schema::PacketEvent::queue_dropped, now);
    }
  }
}

void Wire::settle(Direction& direction) {
  while (const auto outcome = direction.link.outcome(now_ns())) {
    const schema::PacketRecord& sent = outcome->packet.record;
    const bool delivered = outcome->fate == Fate::delivered;
    if (delivered && !direction.to.write(outcome->packet.payload)) ++direction.refused;
    const Nanoseconds now = now_ns();
    if (delivered) direction.delays.add(now - sent.time_ns);
    direction.lateness.add(now - outcome->due_ns);
    record(sent, event_of(outcome->fate), now);
  }
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
