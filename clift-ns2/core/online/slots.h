// Opportunities to send one unit: the slots of a PHY trace, or units back to back at a rate.
#pragma once

#include <cstdint>
#include <optional>

#include "core/online/unit_losses.h"
#include "core/row_bytes.h"
#include "core/time.h"
#include "core/trace_clock.h"

namespace clift {

struct Slot {
  Nanoseconds tx_ns;       // its transmission begins
  Nanoseconds sent_ns;     // and has ended: of a PHY trace's slot the same moment
  Nanoseconds arrival_ns;  // the far end has decoded it, propagation left out
  bool erased;
  std::int64_t size_bytes;  // it carries so many
};

// Slots of a trace that have passed, repetitions included.
struct SlotUse {
  std::int64_t offered;  // since simulated time 0
  std::int64_t used;     // carried a unit
  std::int64_t repeats;  // times that the trace started again
  std::int64_t offered_bytes;  // sizes of the slots offered
  std::int64_t used_bytes;     // and of those used
};

class SlotSource {
 public:
  virtual ~SlotSource() = default;

  // When the first slot begins that is not before `earliest_ns` and not taken; `never` when there is none.
  virtual Nanoseconds next_tx_ns(Nanoseconds earliest_ns) const = 0;

  // Its size, where it exists.
  virtual std::int64_t next_size_bytes(Nanoseconds earliest_ns) const = 0;

  // Takes that slot, which exists.
  virtual Slot take(Nanoseconds earliest_ns) = 0;

  // What has passed by `now_ns`, and what was taken ahead; nothing where slots are not given beforehand.
  virtual std::optional<SlotUse> use_until(Nanoseconds now_ns) const = 0;
};

// Simulated time 0 is trace time `offset_ns`.
class TraceSlots : public SlotSource {
 public:
  // The rows outlive this; a trace that repeats has at least two. Slots without sizes carry `unit_bytes`.
  TraceSlots(PhyRows rows, std::int64_t unit_bytes, Nanoseconds offset_ns, bool repeats);

  Nanoseconds next_tx_ns(Nanoseconds earliest_ns) const override;
  std::int64_t next_size_bytes(Nanoseconds earliest_ns) const override;
  Slot take(Nanoseconds earliest_ns) override;
  std::optional<SlotUse> use_until(Nanoseconds now_ns) const override;

 private:
  std::int64_t row_from(Nanoseconds earliest_ns) const;

  TraceClock<PhyRow> clock_;
  RowBytes bytes_;
  Nanoseconds offset_ns_;
  std::int64_t first_row_;  // not before simulated time 0
  std::int64_t next_row_;   // not taken, nor before one that was
  std::int64_t used_ = 0;
  std::int64_t used_bytes_ = 0;
};

class RateSlots : public SlotSource {
 public:
  // A slot lasts `unit_ns` and carries `unit_bytes`.
  RateSlots(std::int64_t unit_bytes, double unit_ns, const ChannelOptions& channel, UniformSource& uniforms);

  Nanoseconds next_tx_ns(Nanoseconds earliest_ns) const override;
  std::int64_t next_size_bytes(Nanoseconds) const override { return unit_bytes_; }
  Slot take(Nanoseconds earliest_ns) override;
  std::optional<SlotUse> use_until(Nanoseconds) const override { return std::nullopt; }

 private:
  Nanoseconds free_ns() const;

  std::int64_t unit_bytes_;
  double unit_ns_;
  UnitLosses losses_;
  Nanoseconds busy_since_ns_ = 0;
  std::int64_t sent_since_ = 0;  // units sent back to back since then
};

}  // namespace clift
