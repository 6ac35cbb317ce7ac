// A link layer that works on the packets that really come: coding, repetition, resequencing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/online/packet_ledger.h"
#include "core/online/slots.h"
#include "core/time.h"

namespace clift {

// Fate of a block of which too few units have arrived.
enum class Recovery {
  none,     // it is given up
  repeat,   // all of it is sent again, before new blocks (selective repeat)
  extend,   // as many repair units follow as are missing, and some more (hybrid ARQ type II)
  go_back,  // it is sent again, and all that was sent after it
};

enum class Framing {
  packet,  // a block holds units of one packet, and is not interrupted
  stream,  // a block goes on with the next packet; a repetition that is due may interrupt it
};

struct LinkLayerOptions {
  Packing packing = Packing::padded;  // of packets in data units; packed with Framing::stream only
  std::int64_t data = 1;             // data units of a block, at least 1; the last of a packet or of a burst has fewer
  std::int64_t repair = 0;           // repair units of every block
  std::int64_t depth = 1;            // blocks that are interleaved; more than 1 with Recovery::none and a stream only
  Framing framing = Framing::packet;
  Recovery recovery = Recovery::none;
  std::int64_t repetitions = -1;     // most repetitions of a block, or requests for repair; -1: unlimited
  std::int64_t extra = 1;            // repair units beyond those missing
  std::int64_t window = 1;           // go_back: blocks that may be sent and not acknowledged
  Nanoseconds timeout_ns = 0;        // go_back: from the end of a block to its repetition, at least the feedback's time
  Nanoseconds rtt_ns = 0;            // the link's propagation there and back
  Nanoseconds detection_delay_ns = 0;  // from the end of a block until the far end has judged it
  ResequencerOptions resequencer;
};

// Units sent so far, by what they were for.
struct UnitCounts {
  std::int64_t data = 0;
  std::int64_t repair = 0;    // redundancy of a block's first transmission
  std::int64_t repeated = 0;  // units of later ones
  std::int64_t erased = 0;    // those of all three that were lost
  std::int64_t left_bytes = 0;  // packed: of data units, that no packet had
};

// Packets come in with `offer`; what happens follows from `take_departures` and `take_released`. The link layer looks
// ahead: as long as it has packets to send, what comes later changes nothing, so it works in time that is yet to come.
// Where that ends it asks to be woken. Calls come in order of time; offers at a moment precede its decisions.
class LinkLayer {
 public:
  virtual ~LinkLayer() = default;
  LinkLayer(const LinkLayer&) = delete;
  LinkLayer& operator=(const LinkLayer&) = delete;

  // A packet joins the queue.
  void offer(Nanoseconds now_ns, std::int64_t size_bytes);

  // Does what is certain by `now_ns`.
  void run(Nanoseconds now_ns);

  // When `run` is next needed, if no packet comes before; `never` when nothing is under way.
  Nanoseconds wake_ns() const;

  std::vector<Departure> take_departures() { return ledger_.take_departures(); }
  std::vector<Release> take_released() { return ledger_.resequencer().take_released(); }
  const UnitCounts& units() const { return units_; }

  // Whether the trace has ended: nothing is sent any more.
  bool stopped() const { return stopped_; }

 protected:
  LinkLayer(const LinkLayerOptions& options, SlotSource& slots);

  // Sends what can be sent; returns when to be woken.
  virtual Nanoseconds work(Nanoseconds now_ns) = 0;

  // Takes the first slot that is not before `earliest_ns`.
  Slot send(Nanoseconds earliest_ns, std::int64_t UnitCounts::*purpose);

  // Takes that slot for a data unit, and the bytes of packets for it.
  struct SentUnit {
    Slot slot;
    Unit unit;
  };
  SentUnit send_data_unit(Nanoseconds earliest_ns);

  // Packed: whether a packet that comes before that slot is sent may have a share in it.
  bool may_be_joined(Nanoseconds earliest_ns) const {
    return options_.packing == Packing::packed && ledger_.leaves_space_in(slots_.next_size_bytes(earliest_ns));
  }

  // When that slot begins; notes when there is none.
  Nanoseconds next_tx_ns(Nanoseconds earliest_ns);

  const LinkLayerOptions options_;
  PacketLedger ledger_;

 private:
  SlotSource& slots_;
  UnitCounts units_;
  Nanoseconds work_ns_ = never;
  bool stopped_ = false;
};

// The slots outlive the link layer; options are in range and go together.
std::unique_ptr<LinkLayer> make_link_layer(const LinkLayerOptions& options, SlotSource& slots);

}  // namespace clift
