// A sliding-window code with feedback, in the manner of RFC 9407: reports move the window, and ask for repair units.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "core/online/lower_layer.h"
#include "core/online/window_decoder.h"

namespace clift {

// Events at equal times happen in this order: slots at the receiver, reports at the sender; a slot's transmission comes
// after them. A slot without data carries the next regular repair unit early if source units were sent since the last.
class Tetrys : public LowerLayer {
 public:
  Tetrys(const LinkLayerOptions& options, SlotSource& slots);

  Transmission next(Nanoseconds data_ns) override;

  // Reports decide which units the layer sends.
  Nanoseconds next_decoding_ns() const override;
  void pass(Nanoseconds until_ns) override;

 private:
  // From the receiver's first unknown one on.
  struct SourceUnit {
    std::vector<std::int64_t> packets;  // whose bytes it carries
    bool erased;                        // and unknown, as the receiver has detected
    bool known;
  };

  // What the receiver learns from a slot, by arrival or because it detects an erasure.
  struct Event {
    Nanoseconds time_ns;
    std::int64_t slot;                   // by order of transmission
    bool erased;
    std::optional<std::int64_t> repair;  // repair unit, otherwise a source unit
    std::int64_t first;                  // source unit, or first one that the repair unit covers
    std::int64_t newest;                 // source unit, or newest one that the repair unit covers

    bool operator>(const Event& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : slot > other.slot;
    }
  };

  // The receiver's state after an event.
  struct Report {
    Nanoseconds time_ns;    // at the sender
    std::int64_t first;     // first unknown source unit
    std::int64_t missing;   // erased source units that are unknown, minus equations
    bool of_repair;         // the slot carried a repair unit
  };

  // What the next slot carries.
  enum class Use { nothing, source, repair, regular_repair, early_repair };

  Nanoseconds work(Nanoseconds now_ns) override;
  Nanoseconds work_after_end(Nanoseconds now_ns) override { return work(now_ns); }
  Nanoseconds tx_or_stop_ns(Nanoseconds earliest_ns);
  Use next_use(bool has_data) const;
  void send_source(Nanoseconds earliest_ns);
  void send_repair(Nanoseconds earliest_ns);
  void add_event(const Slot& slot, std::optional<std::int64_t> repair, std::int64_t first);
  void let_happen(Nanoseconds event_ns);
  void receive(const Event& event);
  void detect_erasure(std::int64_t unit);
  void learn(std::int64_t unit, Nanoseconds time_ns);
  SourceUnit& at(std::int64_t unit) { return units_[static_cast<std::size_t>(unit - first_open_)]; }
  std::int64_t units() const { return first_open_ + static_cast<std::int64_t>(units_.size()); }

  WindowDecoder decoder_;
  std::deque<SourceUnit> units_;
  std::int64_t first_open_ = 0;    // source unit of units_.front()
  std::int64_t erased_ = 0;        // source units that are erased and unknown
  std::int64_t slots_used_ = 0;
  std::int64_t repairs_ = 0;       // sent repair units
  std::int64_t since_repair_ = 0;  // source units sent since the last regular repair unit
  std::int64_t first_ = 0;         // first unknown source unit by the reports
  std::int64_t missing_ = 0;       // by the reports
  std::int64_t under_way_ = 0;     // repair units without a report
  Nanoseconds passed_ns_ = 0;      // time of the last event
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;  // that have not happened
  std::deque<Report> reports_;     // on their way
};

}  // namespace clift
