// Opportunities to send one unit: the slots of a PHY trace, or units back to back at a rate.
#pragma once

#include <cstdint>
#include <optional>

#include "core/online/unit_losses.h"
#include "core/playback.h"
#include "core/row_bytes.h"
#include "core/time.h"
#include "core/trace_clock.h"

namespace clift {

struct Slot {
  Nanoseconds tx_ns;       // start of the transmission
  Nanoseconds sent_ns;     // end of the transmission; equal to tx_ns for slots of a PHY trace
  Nanoseconds arrival_ns;  // end of decoding at the receiver, without propagation
  bool erased;
  std::int64_t size_bytes;  // useful bytes
  std::int32_t es_n0_mdb = 0;  // Es/N0 in thousandths of a dB; 0: the trace has none
};

class SlotSource {
 public:
  virtual ~SlotSource() = default;

  // Start of the first free slot at or after `earliest_ns`; `never` when there is none.
  virtual Nanoseconds next_tx_ns(Nanoseconds earliest_ns) const = 0;

  // Number of that slot, if it exists; slots are numbered from simulated time 0 on, unused ones, too.
  virtual std::int64_t next_number(Nanoseconds earliest_ns) const = 0;

  // Size of that slot, if it exists.
  virtual std::int64_t next_size_bytes(Nanoseconds earliest_ns) const = 0;

  // Takes that slot, which must exist.
  virtual Slot take(Nanoseconds earliest_ns) = 0;

  // Use of the slots until `now_ns`, including slots taken ahead, each used whole; nothing if slots are not those of a
  // trace.
  virtual std::optional<RowUse> use_until(Nanoseconds now_ns) const = 0;
};

class TraceSlots : public SlotSource {
 public:
  // The rows must outlive this, and can be played so; see `check_playback`. Slots without sizes carry `unit_bytes`.
  TraceSlots(PhyRows rows, std::int64_t unit_bytes, const Playback& playback = {});

  Nanoseconds next_tx_ns(Nanoseconds earliest_ns) const override;
  std::int64_t next_number(Nanoseconds earliest_ns) const override { return row_from(earliest_ns) - first_row_; }
  std::int64_t next_size_bytes(Nanoseconds earliest_ns) const override;
  Slot take(Nanoseconds earliest_ns) override;
  std::optional<RowUse> use_until(Nanoseconds now_ns) const override;

  // First row that is not gone, and the last one before a time, if it is not gone: otherwise an earlier row.
  std::int64_t next_row() const { return next_row_; }
  std::int64_t last_before(Nanoseconds now_ns) const { return row_from(now_ns) - 1; }

  // Useful bytes of a row.
  std::int64_t size_of(std::int64_t row) const { return bytes_.size(clock_.place_of(row).index); }

  // Rows before this one are gone.
  void pass(std::int64_t row);

 private:
  std::int64_t row_from(Nanoseconds earliest_ns) const;

  PhyRows rows_;
  TraceClock<PhyRow> clock_;
  RowBytes bytes_;
  Nanoseconds start_ns_;    // trace time at simulated time 0
  std::int64_t first_row_;  // first row at or after simulated time 0
  std::int64_t next_row_;   // first row behind the last taken one
  std::int64_t used_ = 0;
  std::int64_t used_bytes_ = 0;
};

class RateSlots : public SlotSource {
 public:
  // A slot lasts `unit_ns` and carries `unit_bytes`.
  RateSlots(std::int64_t unit_bytes, double unit_ns, const ChannelOptions& channel, UniformSource uniform);

  Nanoseconds next_tx_ns(Nanoseconds earliest_ns) const override;

  // In slot times.
  std::int64_t next_number(Nanoseconds earliest_ns) const override;

  std::int64_t next_size_bytes(Nanoseconds) const override { return unit_bytes_; }
  Slot take(Nanoseconds earliest_ns) override;
  std::optional<RowUse> use_until(Nanoseconds) const override { return std::nullopt; }

 private:
  Nanoseconds free_ns() const;

  std::int64_t unit_bytes_;
  double unit_ns_;
  UnitLosses losses_;
  Nanoseconds busy_since_ns_ = 0;
  std::int64_t sent_since_ = 0;  // units sent back to back since then
};

}  // namespace clift
