// A link layer on live packets: coding, retransmission, resequencing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/online/harq_processes_options.h"
#include "core/online/packet_ledger.h"
#include "core/online/rlc_options.h"
#include "core/online/sliding_window_options.h"
#include "core/online/slots.h"
#include "core/time.h"

namespace clift {

// Recovery of a block with too few arrived units.
enum class Recovery {
  none,     // gives the block up
  repeat,   // retransmits the whole block before new blocks (selective repeat)
  extend,   // sends the missing number of repair units and some more (hybrid ARQ type II)
  go_back,  // retransmits the block and all later ones
};

enum class Framing {
  packet,  // a block holds units of one packet; retransmissions do not interrupt it
  stream,  // a block continues with the next packet; a due retransmission may interrupt it
};

struct LinkLayerOptions {
  Packing packing = Packing::padded;  // of packets in data units; packed with Framing::stream only
  std::int64_t data = 1;             // data units of a block, at least 1; the last of a packet or of a burst has fewer
  std::int64_t repair = 0;           // repair units of every block
  std::int64_t depth = 1;            // interleaved blocks; more than 1 with Recovery::none and Framing::stream only
  Framing framing = Framing::packet;
  Recovery recovery = Recovery::none;
  std::int64_t repetitions = -1;     // most retransmissions of a block, or requests for repair; -1: unlimited
  std::int64_t extra = 1;            // repair units beyond those missing
  std::int64_t window = 1;           // go_back: upper bound of unacknowledged blocks
  Nanoseconds timeout_ns = 0;        // go_back: from a block's end to its retransmission, at least the feedback delay
  Nanoseconds rtt_ns = 0;            // round-trip propagation time of the link
  Nanoseconds detection_delay_ns = 0;  // from the end of a block until the receiver sends its ACK or NACK
  ResequencerOptions resequencer;
  QueueOptions queue;                  // what waits for the link layer, without a limit by default
  UniformSource uniform;               // for a discipline that draws lots
  bool is_shared = false;              // slots go to users at their times; see `SharedLine`

  // The link layer is the one below whose options are present; otherwise it recovers blocks.
  std::optional<HarqProcessesOptions> harq_processes;
  std::optional<SlidingWindowOptions> sliding_window;
  std::optional<RlcOptions> rlc;
};

// Units sent so far, by purpose.
struct UnitCounts {
  std::int64_t data = 0;
  std::int64_t repair = 0;    // redundancy of a block's first transmission
  std::int64_t repeated = 0;  // units of later transmissions
  std::int64_t erased = 0;    // erased units of all three purposes
  std::int64_t left_bytes = 0;  // packed: empty bytes of data units
  std::int64_t stalled = 0;     // slots without a unit though packets waited
};

// `offer` adds packets; `take_departures` and `take_released` return the results, and the host calls `depart` at the time of
// each departure. The link layer works ahead: while it has packets to send, later arrivals change nothing, so it plans
// future slots. Then it asks to be woken. With a discipline that pulls slot by slot they may change everything: it plans no
// slot before its time, and on a shared line none before the next nanosecond: until then packets may arrive for another
// user. Calls come in order of time. At equal times, call `offer` before `run`.
class LinkLayer {
 public:
  LinkLayer(const LinkLayerOptions& options, SlotSource& slots);
  virtual ~LinkLayer() = default;
  LinkLayer(const LinkLayer&) = delete;
  LinkLayer& operator=(const LinkLayer&) = delete;

  // A packet joins the queue at its arrival.
  void offer(const QueuedPacket& packet);
  void offer(Nanoseconds now_ns, std::int64_t size_bytes) { offer({nullptr, now_ns, size_bytes}); }

  // Makes all decisions that are certain by `now_ns`.
  void run(Nanoseconds now_ns);

  // Time of the next necessary `run` unless a packet arrives before; `never` when nothing is under way.
  Nanoseconds wake_ns() const;

  std::vector<Departure> take_departures() { return ledger_.take_departures(); }
  std::vector<Release> take_released() { return ledger_.resequencer().take_released(); }
  const UnitCounts& units() const { return units_; }

  // If nothing waits, the discipline learns of slots that have passed free before `until_ns`.
  void pass_free_slots(Nanoseconds until_ns);

  // The packets, and the queue that they wait in.
  PacketLedger& ledger() { return ledger_; }

  // Whether the trace has ended: no more units are sent.
  bool stopped() const { return stopped_; }

 protected:
  // Sends all possible units; returns the wake-up time.
  virtual Nanoseconds work(Nanoseconds now_ns) = 0;

  // The same after the last slot of the trace.
  virtual Nanoseconds work_after_end(Nanoseconds) { return never; }

  // Takes the first slot at or after `earliest_ns`.
  Slot send(Nanoseconds earliest_ns, std::int64_t UnitCounts::*purpose);

  // Takes the packets' bytes for a data unit in a slot that has been taken.
  Unit take_unit(const Slot& slot);

  // Takes that slot for a data unit, and the packets' bytes that the unit carries.
  struct SentUnit {
    Slot slot;
    Unit unit;
  };
  SentUnit send_data_unit(Nanoseconds earliest_ns);

  // Packed: whether a packet that arrives before that slot could share it.
  bool may_be_joined(Nanoseconds earliest_ns) const {
    return options_.packing == Packing::packed && ledger_.leaves_space_in(slots_.next_size_bytes(earliest_ns));
  }

  // Whether a data unit in that slot would be the last in the queue, as long as no packet arrives.
  bool may_be_last(Nanoseconds earliest_ns) const { return ledger_.fits_in(slots_.next_size_bytes(earliest_ns)); }

  // Start of that slot; sets stopped_ if there is none.
  Nanoseconds next_tx_ns(Nanoseconds earliest_ns);

  // The same, but the link goes on.
  Nanoseconds first_tx_ns(Nanoseconds earliest_ns) const { return slots_.next_tx_ns(earliest_ns); }

  // Whether a data unit at `tx_ns` must wait for a later call: before, a packet may arrive, and others may be dropped.
  bool is_pulled_later(Nanoseconds now_ns, Nanoseconds tx_ns) const {
    return ledger_.pulls() && (options_.is_shared ? tx_ns >= now_ns : tx_ns > now_ns);
  }

  // Whether any unit at `tx_ns` must, or must wait for ever: units are simulated at most 100 s ahead, since retransmissions
  // of what never decodes have no end.
  bool is_too_far_ahead(Nanoseconds now_ns, Nanoseconds tx_ns) const {
    constexpr Nanoseconds farthest_ahead_ns = 100'000'000'000;
    return tx_ns == never || tx_ns - now_ns > farthest_ahead_ns || is_pulled_later(now_ns, tx_ns);
  }

  // Number of that slot.
  std::int64_t slot_number(Nanoseconds earliest_ns) const { return slots_.next_number(earliest_ns); }

  // Counts the free slots from `data_ns` until `tx_ns` as stalled.
  void count_stalls(Nanoseconds data_ns, Nanoseconds tx_ns) {
    units_.stalled += slot_number(tx_ns) - slot_number(data_ns);
  }

  const LinkLayerOptions options_;
  PacketLedger ledger_;
  SlotSource& slots_;
  UnitCounts units_;

 private:
  Nanoseconds work_ns_ = never;
  bool stopped_ = false;
};

// The slots must outlive the link layer; the options must be in range and consistent.
std::unique_ptr<LinkLayer> make_link_layer(const LinkLayerOptions& options, SlotSource& slots);

}  // namespace clift
