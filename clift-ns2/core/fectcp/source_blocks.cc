#include "core/fectcp/source_blocks.h"

#include <algorithm>

namespace clift::fectcp {

void SourceBlocks::offer(std::int64_t source_symbols) { offered_ = std::max(offered_, source_symbols); }

std::int64_t SourceBlocks::choose() {
  std::int64_t chosen = -1;
  std::int64_t most_lacking = 0;
  for (std::int64_t block = first_; knows(block); ++block) {
    if (at(block).is_decoded) continue;
    const std::int64_t lacks = lacking(at(block));
    if (lacks > 0) return block;
    if (chosen < 0 || lacks > most_lacking) {
      most_lacking = lacks;
      chosen = block;
    }
  }
  const std::int64_t rest = offered_ - cut_;
  if (rest == 0) return chosen;
  const std::int64_t blocks = (rest - 1) / most_symbols_ + 1;
  Block fresh{};
  fresh.source_symbols = (rest - 1) / blocks + 1;
  cut_ += fresh.source_symbols;
  open_.push_back(fresh);
  return first_ + static_cast<std::int64_t>(open_.size()) - 1;
}

// Symbols to send until the block will probably be decoded; negative for a surplus.
std::int64_t SourceBlocks::lacking(const Block& block) const {
  const std::int64_t spent = std::max<std::int64_t>(block.received - block.source_symbols, -1);
  const std::int64_t needed = block.source_symbols + overhead_.likely_beyond(block.source_symbols, spent);
  return needed - block.received - block.in_transit;
}

void SourceBlocks::on_gone(std::int64_t block) {
  if (knows(block)) --at(block).in_transit;
}

void SourceBlocks::on_received(std::int64_t block, std::int64_t symbols) {
  if (knows(block)) at(block).received = std::max(at(block).received, symbols);
}

void SourceBlocks::on_decoded(std::int64_t block) {
  if (!knows(block)) return;
  at(block).is_decoded = true;
  drop_decoded();
}

void SourceBlocks::on_decoded_before(std::int64_t block) {
  for (std::int64_t one = first_; one < block && knows(one); ++one) at(one).is_decoded = true;
  drop_decoded();
}

void SourceBlocks::drop_decoded() {
  while (!open_.empty() && open_.front().is_decoded) {
    open_.pop_front();
    ++first_;
  }
}

}  // namespace clift::fectcp
