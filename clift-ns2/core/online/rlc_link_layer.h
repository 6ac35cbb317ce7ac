// Radio link control on live packets: both entities, and the segments between them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "core/online/lower_layer.h"
#include "core/online/rlc_receiver.h"
#include "core/online/rlc_sender.h"

namespace clift {

// A unit carries a segment, over the bare link or through a layer below. Events at equal times happen in the order of
// docs/schemes.md; a slot comes after them.
class RlcLinkLayer : public LinkLayer {
 public:
  // With the options of a layer below, that layer carries the segments.
  RlcLinkLayer(const LinkLayerOptions& options, SlotSource& slots);

 private:
  struct Segment {
    std::int64_t sn;
    bool poll;
  };

  Nanoseconds work(Nanoseconds now_ns) override;
  Nanoseconds work_after_end(Nanoseconds now_ns) override { return work(now_ns); }
  LowerLayer::Transmission next_transmission(Nanoseconds segment_ns);
  bool may_depend_on_later_packets(bool begins, Nanoseconds tx_ns) const;
  bool has_more(Nanoseconds now_ns);
  void send_segment(bool begins, Nanoseconds tx_ns);
  Slot send_below(Nanoseconds tx_ns, std::int64_t UnitCounts::*purpose);
  void hear_from_below();
  Nanoseconds decoding_ns() const { return below_ ? below_->next_decoding_ns() : never; }
  Nanoseconds arrival_ns() const;
  Nanoseconds report_ns() const;
  Nanoseconds next_event_ns() const;
  void let_happen(Nanoseconds event_ns);
  void settle_packets();

  RlcSender sender_;
  RlcReceiver receiver_;
  std::unique_ptr<LowerLayer> below_;              // null: the bare link
  UnitCounts units_below_;                         // its units so far
  std::map<std::int64_t, Segment> carried_;        // segments that it carries, by its packet
  std::int64_t transmissions_ = 0;                 // of segments
  // By arrival, then by transmission.
  std::map<std::pair<Nanoseconds, std::int64_t>, Segment> under_way_;
  Nanoseconds passed_ns_ = 0;                      // time of the last event
};

}  // namespace clift
