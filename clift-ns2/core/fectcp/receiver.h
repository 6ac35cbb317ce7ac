// The receiver of FECTCP: it acknowledges every segment, says of what it has how much, and decodes a block when enough
// symbols of it are there. How many are enough is drawn for each block; the code itself is not simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/fectcp/decoding_overhead.h"
#include "core/time.h"

namespace clift::fectcp {

struct Reply {
  std::int64_t number = 0;          // of the segment that is acknowledged, and with it all before it
  std::int64_t first_open = 0;      // every block before this one is decoded
  std::int64_t first_received = 0;  // symbols of that block that have arrived
  std::int64_t block = -1;          // of the segment; -1: it was the handshake
  std::int64_t received = 0;        // symbols of it that have arrived
  bool is_decoded = false;
  Nanoseconds handshake_ns = -1;    // to a handshake: when it was sent
};

// Data that is handed to the application.
struct Handover {
  std::int64_t first_symbol;    // source symbols that were handed over before
  std::int64_t source_symbols;
};

struct ReceiverCounters {
  std::int64_t segments = 0;          // that arrived, the handshake not counted
  std::int64_t surplus = 0;           // of them symbols of blocks that were decoded before, or copies
  std::int64_t decoded_blocks = 0;
  std::int64_t decoded_symbols = 0;   // source symbols of those blocks
  std::int64_t overhead_symbols = 0;  // what those blocks needed beyond them
};

class Receiver {
 public:
  using Uniform = std::function<double()>;

  Receiver(const DecodingOverhead& overhead, Uniform uniform) : overhead_(overhead), uniform_(std::move(uniform)) {}

  Reply on_handshake(Nanoseconds sent_ns) const;

  // A symbol of a block arrives, which has so many source symbols. Afterwards handovers() tells what became of it.
  Reply on_segment(std::int64_t number, std::int64_t block, std::int64_t source_symbols);

  // Of the last segment: blocks go to the application in order.
  const std::vector<Handover>& handovers() const { return handovers_; }

  const ReceiverCounters& counters() const { return counters_; }

 private:
  struct Block {
    std::int64_t source_symbols;
    std::int64_t needed;
    std::set<std::int64_t> numbers;  // of the segments that arrived: the network may copy some
    bool is_decoded = false;
  };

  Reply reply(std::int64_t number, std::int64_t block) const;
  void hand_over();

  DecodingOverhead overhead_;
  Uniform uniform_;
  std::map<std::int64_t, Block> blocks_;  // from first_open_
  std::int64_t first_open_ = 0;
  std::int64_t handed_over_ = 0;
  std::vector<Handover> handovers_;
  ReceiverCounters counters_;
};

}  // namespace clift::fectcp
