#include "core/fectcp/receiver.h"

namespace clift::fectcp {

Reply Receiver::on_handshake(Nanoseconds sent_ns) const {
  Reply found = reply(0, -1);
  found.handshake_ns = sent_ns;
  return found;
}

Reply Receiver::on_segment(std::int64_t number, std::int64_t block, std::int64_t source_symbols) {
  handovers_.clear();
  ++counters_.segments;
  if (block < first_open_) {
    ++counters_.surplus;
    return reply(number, block);
  }
  auto found = blocks_.find(block);
  if (found == blocks_.end()) {
    const std::int64_t needed = source_symbols + overhead_.draw(source_symbols, uniform_());
    found = blocks_.emplace(block, Block{source_symbols, needed, {}, false}).first;
  }
  Block& its = found->second;
  if (its.is_decoded || !its.numbers.insert(number).second) {
    ++counters_.surplus;
    return reply(number, block);
  }
  if (static_cast<std::int64_t>(its.numbers.size()) >= its.needed) {
    its.is_decoded = true;
    its.numbers.clear();
    ++counters_.decoded_blocks;
    counters_.decoded_symbols += its.source_symbols;
    counters_.overhead_symbols += its.needed - its.source_symbols;
    hand_over();
  }
  return reply(number, block);
}

void Receiver::hand_over() {
  for (auto next = blocks_.begin(); next != blocks_.end() && next->first == first_open_ && next->second.is_decoded;
       next = blocks_.erase(next)) {
    handovers_.push_back({handed_over_, next->second.source_symbols});
    handed_over_ += next->second.source_symbols;
    ++first_open_;
  }
}

Reply Receiver::reply(std::int64_t number, std::int64_t block) const {
  Reply found;
  found.number = number;
  found.first_open = first_open_;
  const auto first = blocks_.find(first_open_);
  if (first != blocks_.end()) found.first_received = static_cast<std::int64_t>(first->second.numbers.size());
  found.block = block;
  const auto its = blocks_.find(block);
  if (its != blocks_.end()) {
    found.received = static_cast<std::int64_t>(its->second.numbers.size());
    found.is_decoded = its->second.is_decoded;
  } else {
    found.is_decoded = block >= 0;
  }
  return found;
}

}  // namespace clift::fectcp
