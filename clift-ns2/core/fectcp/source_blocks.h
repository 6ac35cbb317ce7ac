// The sender's data: blocks of source symbols, each encoded independently, and the choice of the next segment's block.
// A block gets enough symbols to be decoded probably, those in transit included. The oldest block that needs symbols
// comes first, then a new block. Without a new block, the block with the least surplus gets another symbol: symbols are
// sent until the receiver reports that it has decoded everything.
#pragma once

#include <cstdint>
#include <deque>

#include "core/fectcp/decoding_overhead.h"

namespace clift::fectcp {

class SourceBlocks {
 public:
  // `most_symbols`: upper bound of a block's source symbols.
  SourceBlocks(std::int64_t most_symbols, const DecodingOverhead& overhead)
      : most_symbols_(most_symbols), overhead_(overhead) {}

  // The application has offered `source_symbols` so far. Symbols without a block are divided evenly into blocks.
  void offer(std::int64_t source_symbols);

  // Whether the receiver has not decoded everything.
  bool has_work() const { return !open_.empty() || cut_ < offered_; }

  // The block of the next symbol; only while there is work.
  std::int64_t choose();
  std::int64_t source_symbols(std::int64_t block) const { return at(block).source_symbols; }

  void on_sent(std::int64_t block) { ++at(block).in_transit; }
  void on_gone(std::int64_t block);

  // The receiver has `symbols` of a block; reports may arrive in any order.
  void on_received(std::int64_t block, std::int64_t symbols);
  void on_decoded(std::int64_t block);
  void on_decoded_before(std::int64_t block);

 private:
  struct Block {
    std::int64_t source_symbols;
    std::int64_t received = 0;
    std::int64_t in_transit = 0;
    bool is_decoded = false;
  };

  bool knows(std::int64_t block) const {
    return block >= first_ && block < first_ + static_cast<std::int64_t>(open_.size());
  }
  Block& at(std::int64_t block) { return open_[static_cast<std::size_t>(block - first_)]; }
  const Block& at(std::int64_t block) const { return open_[static_cast<std::size_t>(block - first_)]; }
  std::int64_t lacking(const Block& block) const;
  void drop_decoded();

  std::int64_t most_symbols_;
  DecodingOverhead overhead_;
  std::int64_t offered_ = 0;
  std::int64_t cut_ = 0;     // source symbols in blocks
  std::int64_t first_ = 0;   // first block that is not decoded
  std::deque<Block> open_;   // blocks from first_ on
};

}  // namespace clift::fectcp
