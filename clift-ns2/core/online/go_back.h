// Go-back-N: the receiver takes blocks in order only, so a failed block is retransmitted with all later blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/online/link_layer.h"

namespace clift {

// At most `window` blocks are under way. ACKs, NACKs and timeouts come in the order in which blocks end.
class GoBackN : public LinkLayer {
 public:
  using LinkLayer::LinkLayer;

 private:
  struct Block {
    std::vector<std::int64_t> packets;  // packets of its data units
    std::int64_t trials = 0;            // failed transmissions while it was the receiver's next expected block
  };

  // Feedback that reaches the sender at `time_ns`: block `number` is acknowledged (or given up), or a NACK.
  struct Report {
    Nanoseconds time_ns;
    std::int64_t number;
    bool again;
  };

  Nanoseconds work(Nanoseconds now_ns) override;
  void learn();
  bool can_repeat() const { return next_ < newest(); }
  bool can_begin() const { return ledger_.has_unsent() && newest() - oldest_ < options_.window; }
  std::int64_t newest() const { return oldest_ + static_cast<std::int64_t>(blocks_.size()); }
  void send_new(Nanoseconds earliest_ns);
  void send_again();
  void receive(const Slot& slot);
  void end_block();

  std::deque<Block> blocks_;     // sent and neither acknowledged nor given up, from oldest_ on
  std::int64_t oldest_ = 0;
  std::int64_t next_ = 0;        // next block to send; newest() for a new block
  std::int64_t expected_ = 0;    // next block that the receiver accepts
  std::deque<Report> reports_;   // in order of time
  std::int64_t arrived_ = 0;     // arrived units of the block that is being sent
  Nanoseconds arrival_ns_ = 0;   // arrival of its last unit
  Nanoseconds sent_ns_ = 0;
  Nanoseconds learnt_ns_ = 0;    // time of the last feedback
};

}  // namespace clift
