// The receiver of FECTCP: it acknowledges every segment, reports the number of arrived symbols, and decodes a block
// when enough of its symbols have arrived. That number is drawn for each block; the code itself is not simulated.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/fectcp/decoding_overhead.h"
#include "core/time.h"
#include "core/uniform_source.h"

namespace clift::fectcp {

struct Reply {
  std::int64_t number = 0;          // acknowledged segment; the ACK covers all earlier ones, too
  std::int64_t first_open = 0;      // first block that is not decoded
  std::int64_t first_received = 0;  // arrived symbols of first_open
  std::int64_t block = -1;          // the segment's block; -1: handshake
  std::int64_t received = 0;        // arrived symbols of `block`
  bool is_decoded = false;
  Nanoseconds handshake_ns = -1;    // for a handshake: its sending time
};

// Data that the receiver delivers to the application.
struct Handover {
  std::int64_t first_symbol;    // source symbols delivered before
  std::int64_t source_symbols;
};

struct ReceiverCounters {
  std::int64_t segments = 0;          // arrived segments without the handshake
  std::int64_t surplus = 0;           // among these: symbols of decoded blocks, and copies
  std::int64_t decoded_blocks = 0;
  std::int64_t decoded_symbols = 0;   // source symbols of the decoded blocks
  std::int64_t overhead_symbols = 0;  // symbols that these blocks needed beyond their source symbols
};

class Receiver {
 public:
  Receiver(const DecodingOverhead& overhead, UniformSource uniform) : overhead_(overhead), uniform_(std::move(uniform)) {}

  Reply on_handshake(Nanoseconds sent_ns) const;

  // A symbol of a block with `source_symbols` arrives. handovers() then holds the data that it completes.
  Reply on_segment(std::int64_t number, std::int64_t block, std::int64_t source_symbols);

  // Data that the last segment completed; blocks are delivered in order.
  const std::vector<Handover>& handovers() const { return handovers_; }

  const ReceiverCounters& counters() const { return counters_; }

 private:
  struct Block {
    std::int64_t source_symbols;
    std::int64_t needed;
    std::set<std::int64_t> numbers;  // numbers of the arrived segments: the network may duplicate some
    bool is_decoded = false;
  };

  Reply reply(std::int64_t number, std::int64_t block) const;
  void hand_over();

  DecodingOverhead overhead_;
  UniformSource uniform_;
  std::map<std::int64_t, Block> blocks_;  // from first_open_
  std::int64_t first_open_ = 0;
  std::int64_t handed_over_ = 0;
  std::vector<Handover> handovers_;
  ReceiverCounters counters_;
};

}  // namespace clift::fectcp
