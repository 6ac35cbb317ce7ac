// Go-back-N: the far end takes blocks in order only, so a block that fails is sent again with all that followed.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/online/link_layer.h"

namespace clift {

// At most `window` blocks are under way. Reports that arrive, and timeouts, come in the order in which blocks end.
class GoBackN : public LinkLayer {
 public:
  GoBackN(const LinkLayerOptions& options, SlotSource& slots);

 private:
  struct Block {
    std::vector<std::int64_t> packets;  // of its data units
    std::int64_t trials = 0;            // of it that failed while the far end waited for it
  };

  // What the sender learns at `time_ns`: block `number` is acknowledged (or given up), or is to be sent again.
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

  std::deque<Block> blocks_;     // sent and not known to be done with, from oldest_ on
  std::int64_t oldest_ = 0;
  std::int64_t next_ = 0;        // block to be sent next; newest() when that is a new one
  std::int64_t expected_ = 0;    // block that the far end waits for
  std::deque<Report> reports_;   // in order of time
  std::int64_t arrived_ = 0;     // units of the block that is being sent
  Nanoseconds arrival_ns_ = 0;   // when all of it is there
  Nanoseconds sent_ns_ = 0;
  Nanoseconds learnt_ns_ = 0;    // when the sender last learnt something
};

}  // namespace clift
