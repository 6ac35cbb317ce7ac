// Carries packets between two interfaces, each direction over its link, and keeps the books.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/record_file.h"
#include "core/schema.h"
#include "core/time.h"
#include "emulate/flow_table.h"
#include "emulate/histogram.h"
#include "emulate/link.h"
#include "emulate/tun.h"

namespace clift {

using PacketRecords = RecordFile<schema::PacketRecord>;
using WireLink = Link<std::vector<std::uint8_t>>;  // carries the packets' bytes

class Wire {
 public:
  struct Direction {
    WireLink link;
    const Tun& from;
    const Tun& to;
    Histogram delays{};        // of delivered packets: from reading them here to writing them there
    Histogram lateness{};      // of everything that was due: how long after its time it was done
    std::int64_t refused = 0;  // delivered packets that the receiving kernel did not take
  };

  // The tuns outlive the wire. Without `records` none are written.
  Wire(Direction forward, Direction back, std::unique_ptr<PacketRecords> records);

  // Time 0 is now: of the traces' clocks, of records and of everything that is returned.
  void begin();
  Nanoseconds now_ns() const;

  // Moves what can be moved: what is due, and what has come. Returns when to call again if nothing comes before.
  Nanoseconds move();

  const Direction& direction(std::size_t i) const { return directions_[i]; }
  std::size_t flows() const { return flows_.flows(); }

  // Completes the records' file.
  void close();

 private:
  void take(std::uint8_t from);
  void settle(Direction& direction);
  void record(schema::PacketRecord record, schema::PacketEvent event, Nanoseconds time_ns);

  std::array<Direction, 2> directions_;
  std::unique_ptr<PacketRecords> records_;
  FlowTable flows_;
  std::int64_t packets_ = 0;
  Nanoseconds begin_ns_ = 0;
};

// The system's clock that no adjustment of the date touches.
Nanoseconds monotonic_ns();

}  // namespace clift
