// Link layers that give up, retransmit or extend each block independently of the others.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/online/lower_layer.h"

namespace clift {

class SelectiveLinkLayer : public LowerLayer {
 public:
  using LowerLayer::LowerLayer;

  Transmission next(Nanoseconds data_ns) override;

 private:
  struct Block {
    std::vector<std::int64_t> open;      // packets of the data units whose fate is open
    std::vector<Nanoseconds> arrivals;   // of units in all rounds; with Recovery::repeat in the last transmission
    std::int64_t data = 0;               // its data units, at most options.data
    std::int64_t rounds = 0;             // retransmissions or requests so far
  };

  // A retransmission or repair round; its NACK reaches the sender at `due_ns`.
  struct Round {
    Block* block;
    std::int64_t units;  // unsent units
    Nanoseconds due_ns;
  };

  Nanoseconds work(Nanoseconds now_ns) override;
  bool round_goes_first(Nanoseconds tx_ns) const;
  void send_of_round(Nanoseconds earliest_ns);
  void send_data(Nanoseconds earliest_ns);
  void send_repair(Nanoseconds earliest_ns);
  void close_early(Nanoseconds tx_ns);
  void end_group(Nanoseconds sent_ns);
  static void receive(Block& block, const Slot& slot);
  void judge(Block& block, Nanoseconds sent_ns);
  static Nanoseconds latest_arrival_ns(const Block& block, Nanoseconds sent_ns);
  static Nanoseconds enabling_arrival_ns(Block& block);
  void settle(Block& block, Nanoseconds time_ns, bool delivered);
  Block* new_block();

  std::deque<Round> rounds_;             // in order of due_ns
  std::vector<Block*> group_;            // blocks that are being sent for the first time, interleaved
  std::int64_t group_data_ = 0;          // sent data units of these blocks
  std::int64_t group_repair_ = 0;        // sent repair units of these blocks
  bool closed_ = false;                  // no more data units join these blocks
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> unused_;           // members of blocks_ that can be reused
};

}  // namespace clift
