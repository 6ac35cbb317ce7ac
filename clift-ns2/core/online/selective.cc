#include "core/online/selective.h"

#include <algorithm>

namespace clift {

Nanoseconds SelectiveLinkLayer::work(Nanoseconds now_ns) {
  while (true) {
    if (closed_ || ledger_.has_unsent()) {
      // This is certain: later packets queue behind the waiting ones.
      const Nanoseconds earliest_ns = closed_ ? 0 : ledger_.head_arrival_ns();
      const Nanoseconds due_ns = rounds_.empty() ? never : rounds_.front().due_ns;
      const Nanoseconds tx_ns = next_tx_ns(std::min(earliest_ns, due_ns));
      if (is_too_far_ahead(now_ns, tx_ns)) return tx_ns;
      if (round_goes_first(tx_ns)) {
        send_of_round(due_ns);
      } else if (closed_) {
        send_repair(earliest_ns);
      } else if (tx_ns >= now_ns && may_be_joined(earliest_ns)) {
        return tx_ns + 1;
      } else if (ledger_.pull(tx_ns)) {
        send_data(earliest_ns);
      }
    } else if (group_data_ > 0) {
      // A block of a stream waits for data until its next slot; packets that arrive by then may join it.
      const Nanoseconds tx_ns = next_tx_ns(0);
      if (is_too_far_ahead(now_ns, tx_ns)) return tx_ns;
      if (round_goes_first(tx_ns)) {
        send_of_round(rounds_.front().due_ns);
      } else if (tx_ns < now_ns) {
        close_early(tx_ns);
      } else {
        return tx_ns + 1;
      }
    } else if (!rounds_.empty()) {
      const Nanoseconds due_ns = rounds_.front().due_ns;
      // Before the round is due, packets may arrive and take earlier slots.
      if (due_ns > now_ns && next_tx_ns(now_ns) < due_ns) return due_ns;
      const Nanoseconds tx_ns = next_tx_ns(due_ns);
      if (is_too_far_ahead(now_ns, tx_ns)) return tx_ns;
      send_of_round(due_ns);
    } else {
      return never;
    }
  }
}

LowerLayer::Transmission SelectiveLinkLayer::next(Nanoseconds data_ns) {
  const Nanoseconds due_ns = rounds_.empty() ? never : rounds_.front().due_ns;
  const Nanoseconds earliest_ns = group_data_ > 0 ? 0 : std::min(data_ns, due_ns);
  if (earliest_ns == never) return {never, false};
  const Nanoseconds tx_ns = first_tx_ns(earliest_ns);
  if (closed_ || round_goes_first(tx_ns)) return {tx_ns, false};
  return {tx_ns, data_ns <= tx_ns, data_ns > tx_ns};
}

// Whether the first round has priority over new data for a slot at `tx_ns`.
bool SelectiveLinkLayer::round_goes_first(Nanoseconds tx_ns) const {
  const bool interruptible = options_.framing == Framing::stream || group_data_ == 0;
  return !rounds_.empty() && rounds_.front().due_ns <= tx_ns && interruptible;
}

void SelectiveLinkLayer::send_of_round(Nanoseconds earliest_ns) {
  const Slot slot = send(earliest_ns, &UnitCounts::repeated);
  Round& round = rounds_.front();
  receive(*round.block, slot);
  if (--round.units > 0) return;
  Block& block = *round.block;
  rounds_.pop_front();
  judge(block, slot.sent_ns);
}

void SelectiveLinkLayer::send_data(Nanoseconds earliest_ns) {
  if (group_.empty()) {
    for (std::int64_t i = 0; i < options_.depth; ++i) group_.push_back(new_block());
  }
  Block& block = *group_[static_cast<std::size_t>(group_data_ % options_.depth)];
  const auto [slot, unit] = send_data_unit(earliest_ns);
  ++group_data_;
  ++block.data;
  // Recovery::repeat decodes whole blocks; otherwise a data unit is delivered when it arrives.
  if (slot.erased || options_.recovery == Recovery::repeat) {
    block.open.insert(block.open.end(), unit.packets.begin(), unit.packets.end());
  } else {
    for (const std::int64_t packet : unit.packets) ledger_.settle(packet, slot.arrival_ns, true);
  }
  receive(block, slot);
  closed_ = group_data_ == options_.data * options_.depth || (options_.framing == Framing::packet && unit.last);
  if (closed_ && options_.repair == 0) end_group(slot.sent_ns);
}

// No data are queued for the slot at `tx_ns`: a stream's blocks end with their present data units.
void SelectiveLinkLayer::close_early(Nanoseconds tx_ns) {
  closed_ = true;
  if (options_.repair == 0) end_group(tx_ns);
}

void SelectiveLinkLayer::send_repair(Nanoseconds earliest_ns) {
  const auto blocks = std::min(options_.depth, group_data_);  // those that have data
  const Slot slot = send(earliest_ns, &UnitCounts::repair);
  receive(*group_[static_cast<std::size_t>(group_repair_ % blocks)], slot);
  if (++group_repair_ == options_.repair * blocks) end_group(slot.sent_ns);
}

void SelectiveLinkLayer::end_group(Nanoseconds sent_ns) {
  for (Block* block : group_) {
    if (block->data > 0) {
      judge(*block, sent_ns);
    } else {
      unused_.push_back(block);
    }
  }
  group_.clear();
  group_data_ = group_repair_ = 0;
  closed_ = false;
}

void SelectiveLinkLayer::receive(Block& block, const Slot& slot) {
  if (!slot.erased) block.arrivals.push_back(slot.arrival_ns);
}

// The block's current round has been sent by `sent_ns`.
void SelectiveLinkLayer::judge(Block& block, Nanoseconds sent_ns) {
  const bool whole = options_.recovery == Recovery::repeat;
  if (static_cast<std::int64_t>(block.arrivals.size()) >= block.data) {
    settle(block, whole ? latest_arrival_ns(block, sent_ns) : enabling_arrival_ns(block), true);
    return;
  }
  const Nanoseconds judged_ns = sum_of(sent_ns, options_.detection_delay_ns);
  const bool another = options_.recovery != Recovery::none &&
                       (options_.repetitions < 0 || block.rounds < options_.repetitions);
  if (!another) {
    settle(block, judged_ns, false);
    return;
  }
  const auto missing = block.data - static_cast<std::int64_t>(block.arrivals.size());
  const std::int64_t units = whole ? block.data + options_.repair : missing + options_.extra;
  if (whole) block.arrivals.clear();
  ++block.rounds;
  rounds_.push_back({&block, units, sum_of(judged_ns, options_.rtt_ns)});
}

// Decoding time of a whole block: it has been sent, and all its units have arrived.
Nanoseconds SelectiveLinkLayer::latest_arrival_ns(const Block& block, Nanoseconds sent_ns) {
  return std::max(sent_ns, *std::max_element(block.arrivals.begin(), block.arrivals.end()));
}

// Time at which erased units can be decoded: the block has as many arrivals as data units.
Nanoseconds SelectiveLinkLayer::enabling_arrival_ns(Block& block) {
  const auto enabling = block.arrivals.begin() + (block.data - 1);
  std::nth_element(block.arrivals.begin(), enabling, block.arrivals.end());
  return *enabling;
}

// The block is done with.
void SelectiveLinkLayer::settle(Block& block, Nanoseconds time_ns, bool delivered) {
  for (const std::int64_t packet : block.open) ledger_.settle(packet, time_ns, delivered);
  unused_.push_back(&block);
}

SelectiveLinkLayer::Block* SelectiveLinkLayer::new_block() {
  if (unused_.empty()) {
    blocks_.push_back(std::make_unique<Block>());
    return blocks_.back().get();
  }
  Block* block = unused_.back();
  unused_.pop_back();
  block->open.clear();
  block->arrivals.clear();
  block->data = block->rounds = 0;
  return block;
}

}  // namespace clift
