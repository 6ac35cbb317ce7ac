// Blocks that are given up, repeated or extended one by one, each for itself.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/online/link_layer.h"

namespace clift {

class SelectiveLinkLayer : public LinkLayer {
 public:
  SelectiveLinkLayer(const LinkLayerOptions& options, SlotSource& slots);

 private:
  struct Block {
    std::vector<std::int64_t> open;      // packets of those data units whose fate is open
    std::vector<Nanoseconds> arrivals;   // of units, over all rounds, or of the last trial when blocks are repeated
    std::int64_t data = 0;               // data units that it has, at most options.data
    std::int64_t rounds = 0;             // repetitions or requests so far
  };

  // A round that the sender knows of from `due_ns` on.
  struct Round {
    Block* block;
    std::int64_t units;  // still to be sent
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
  std::int64_t group_data_ = 0;          // data units sent of them
  std::int64_t group_repair_ = 0;        // repair units sent of them
  bool closed_ = false;                  // no more data units join them
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> unused_;           // of blocks_, to be used again
};

}  // namespace clift
