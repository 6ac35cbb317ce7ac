// Carries packets between two interfaces, each direction over its link, and counts them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/record_file.h"
#include "core/schema.h"
#include "core/time.h"
#include "emulate/flow_table.h"
#include "emulate/frame.h"
#include "emulate/histogram.h"
#include "emulate/link.h"
#include "emulate/tun.h"

namespace clift {

using PacketRecords = RecordFile<schema::PacketRecord>;
using WireLink = Link<Frame>;

class Wire {
 public:
  struct Direction {
    WireLink link;
    const Tun& from;
    const Tun& to;
    Histogram delays{};        // delays of delivered packets, from reading to writing them
    Histogram lateness{};      // delays of all outcomes after their due times
    std::int64_t refused = 0;  // delivered packets that the receiving kernel did not take
  };

  // The interfaces must outlive the wire. `records` may be null.
  Wire(Direction forward, Direction back, std::unique_ptr<PacketRecords> records);

  // Sets time 0 of traces, records and returned times to now.
  void begin();
  Nanoseconds now_ns() const;

  // Delivers due packets.
  void deliver();

  // Takes the packets that wait at the sender of direction `from`.
  void take(std::uint8_t from);

  // When the next packet is due; `never` without one.
  Nanoseconds next_due_ns() const;

  const Direction& direction(std::size_t i) const { return directions_[i]; }
  std::size_t flows() const { return flows_.flows(); }

  // Completes the records' file.
  void close();

 private:
  void take(std::uint8_t from, Frame frame, Nanoseconds now_ns);
  void settle(Direction& direction);
  void record_queue(WireLink& link, Nanoseconds now_ns);
  void record(schema::PacketRecord record, schema::PacketEvent event, Nanoseconds time_ns);

  std::array<Direction, 2> directions_;
  std::unique_ptr<PacketRecords> records_;
  FlowTable flows_;
  std::int64_t packets_ = 0;
  Nanoseconds begin_ns_ = 0;
  std::vector<std::uint8_t> read_;  // room for one call's bytes
  std::vector<Frame> frames_;       // packets in them
};

// The system's monotonic clock, which date changes do not affect.
Nanoseconds monotonic_ns();

}  // namespace clift
