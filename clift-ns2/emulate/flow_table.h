// Numbers the flows, segments and transmissions of real traffic as in ns-2's records.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "core/schema.h"
#include "emulate/byte_view.h"
#include "emulate/ip_packet.h"

namespace clift {

// Segments of one direction of a TCP connection, numbered from 1 in order of their bytes; 0 is the SYN. Memory is
// bounded: segments that lie further back than TCP's largest window are forgotten.
class SegmentNumbers {
 public:
  struct Sent {
    std::int64_t segment;
    std::uint16_t transmission;  // from 1
  };

  Sent begin(std::uint32_t sequence);  // the SYN
  Sent sent(std::uint32_t sequence, std::size_t payload_bytes);

  // Highest segment that an acknowledgement covers; 0: the SYN at most.
  std::int64_t acknowledged(std::uint32_t sequence) const;

  std::size_t remembered() const { return ends_.size(); }

 private:
  std::int64_t offset_of(std::uint32_t sequence) const;
  std::int64_t number_at(std::int64_t offset) const;  // of the segment that holds this byte
  void forget();

  std::uint32_t first_ = 0;  // sequence number of the first payload byte
  bool begun_ = false;
  std::uint16_t begins_ = 0;   // SYNs with this number
  std::int64_t forgotten_ = 0;                 // segments
  std::vector<std::int64_t> ends_;             // offset behind the last byte of segment forgotten_ + i + 1
  std::vector<std::uint16_t> transmissions_;  // transmissions of this segment
};

class FlowTable {
 public:
  // Fills `flow`, `sequence` and `transmission` of the record of a packet that is sent in `direction` (0 or 1).
  // Packets without addresses and ports, such as those that are not IP, share one flow per kind.
  void number(ByteView bytes, std::uint8_t direction, schema::PacketRecord& record);

  std::size_t flows() const { return flows_.size(); }

 private:
  using Key = std::tuple<int, std::uint8_t, Endpoint, Endpoint>;  // version, protocol, here, there

  struct Flow {
    std::uint16_t number;
    SegmentNumbers segments[2];  // by direction
  };

  std::map<Key, Flow> flows_;
};

}  // namespace clift
