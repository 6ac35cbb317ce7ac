// The data as the sender sees it: blocks of source symbols, each encoded by itself, and of which block the next
// segment is to be a symbol. A block gets as many symbols as will probably decode it, those in transit included; the
// oldest one that lacks some comes first, then a new block. When there is no new block either, the one with the
// fewest to spare gets one more: symbols are sent until the receiver says that it has decoded everything.
#pragma once

#include <cstdint>
#include <deque>

#include "core/fectcp/decoding_overhead.h"

namespace clift::fectcp {

class SourceBlocks {
 public:
  // `most_symbols`: of a block.
  SourceBlocks(std::int64_t most_symbols, const DecodingOverhead& overhead)
      : most_symbols_(most_symbols), overhead_(overhead) {}

  // The application has so many source symbols, in all. What is in no block yet is divided evenly.
  void offer(std::int64_t source_symbols);

  // There is something that the receiver has not decoded.
  bool has_work() const { return !open_.empty() || cut_ < offered_; }

  // The block of the next symbol; only while there is work.
  std::int64_t choose();
  std::int64_t source_symbols(std::int64_t block) const { return at(block).source_symbols; }

  void on_sent(std::int64_t block) { ++at(block).in_transit; }
  void on_gone(std::int64_t block);

  // What the receiver has of a block; reports may come in any order.
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
  std::int64_t cut_ = 0;     // source symbols that are in a block
  std::int64_t first_ = 0;   // the first block that is not decoded
  std::deque<Block> open_;   // from first_
};

}  // namespace clift::fectcp
