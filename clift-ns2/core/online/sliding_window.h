// A sliding-window code: after every k source units one repair unit over the last W of them, without feedback.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "core/online/lower_layer.h"
#include "core/online/window_decoder.h"

namespace clift {

// A slot without data carries the next repair unit early if it covers new source units: then a burst's last units are
// protected at once.
class SlidingWindow : public LowerLayer {
 public:
  SlidingWindow(const LinkLayerOptions& options, SlotSource& slots);

  Transmission next(Nanoseconds data_ns) override;
  Nanoseconds next_decoding_ns() const override { return arrivals_.empty() ? never : arrivals_.top().time_ns; }

 private:
  struct SourceUnit {
    std::vector<std::int64_t> packets;  // whose bytes it carries
    bool erased;
    bool open;                          // its fate is not settled
  };

  // A decoded slot.
  struct Arrival {
    Nanoseconds time_ns;
    std::int64_t slot;    // by order of transmission
    std::int64_t repair;  // repair unit, or -1
    std::int64_t newest;  // source unit, or newest one that the repair unit covers

    bool operator>(const Arrival& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : slot > other.slot;
    }
  };

  Nanoseconds work(Nanoseconds now_ns) override;
  Nanoseconds send_units(Nanoseconds now_ns);
  void send_source(Nanoseconds earliest_ns);
  void send_repair();
  void sent(const Slot& slot, std::int64_t repair);
  void decode(Nanoseconds until_ns);
  void settle(std::int64_t unit, Nanoseconds time_ns, bool delivered);
  SourceUnit& at(std::int64_t unit) { return units_[static_cast<std::size_t>(unit - first_)]; }
  std::int64_t newest() const { return first_ + static_cast<std::int64_t>(units_.size()) - 1; }

  WindowDecoder decoder_;
  std::deque<SourceUnit> units_;         // from the first open one on
  std::int64_t first_ = 0;               // source unit of units_.front()
  std::int64_t repairs_ = 0;             // sent repair units
  std::int64_t since_repair_ = 0;        // source units sent since the last repair unit
  std::int64_t slots_used_ = 0;
  Nanoseconds last_tx_ns_ = 0;           // of the last used slot
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;  // not yet decoded
};

}  // namespace clift
