// Radio link control on live packets: both entities, and the units between them.
#pragma once

#include <cstdint>
#include <map>

#include "core/online/link_layer.h"
#include "core/online/rlc_receiver.h"
#include "core/online/rlc_sender.h"

namespace clift {

// A unit is a segment. Events at equal times happen in the order of docs/schemes.md; a slot comes after them.
class RlcLinkLayer : public LinkLayer {
 public:
  RlcLinkLayer(const LinkLayerOptions& options, SlotSource& slots);

 private:
  struct Segment {
    std::int64_t sn;
    bool poll;
  };

  Nanoseconds work(Nanoseconds now_ns) override;
  Nanoseconds work_after_end(Nanoseconds now_ns) override { return work(now_ns); }
  bool may_depend_on_later_packets(bool begins, Nanoseconds earliest_ns) const;
  void send_segment(bool begins, Nanoseconds earliest_ns);
  Nanoseconds arrival_ns() const;
  Nanoseconds report_ns() const;
  Nanoseconds next_event_ns() const;
  void let_happen(Nanoseconds event_ns);
  void settle_packets();

  RlcSender sender_;
  RlcReceiver receiver_;
  std::multimap<Nanoseconds, Segment> under_way_;  // by arrival, then in order of transmission
  Nanoseconds passed_ns_ = 0;                      // time of the last event
};

}  // namespace clift
