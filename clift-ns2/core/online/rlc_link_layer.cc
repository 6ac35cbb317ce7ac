#include "core/online/rlc_link_layer.h"

#include <algorithm>

namespace clift {

RlcLinkLayer::RlcLinkLayer(const LinkLayerOptions& options, SlotSource& slots)
    : LinkLayer(options, slots), sender_(*options.rlc), receiver_(*options.rlc) {}

Nanoseconds RlcLinkLayer::work(Nanoseconds now_ns) {
  while (true) {
    const bool begins = !sender_.has_repeats() && ledger_.has_unsent() && !sender_.is_full();
    const Nanoseconds earliest_ns = begins ? std::max(passed_ns_, ledger_.head_arrival_ns()) : passed_ns_;
    const Nanoseconds tx_ns = begins || sender_.has_repeats() ? next_tx_ns(earliest_ns) : never;
    const Nanoseconds event_ns = next_event_ns();
    if (event_ns <= tx_ns) {
      if (event_ns == never) return never;
      // Later packets can be sent before that event unless a unit waits for its slot, or the window is full. Over a link
      // that loses everything, polls go on for ever: each is one wake.
      const bool certain = tx_ns != never || (sender_.is_full() && event_ns < sender_.poll_due_ns());
      if (event_ns > now_ns && !certain) return event_ns;
      let_happen(event_ns);
    } else if (tx_ns >= now_ns && may_depend_on_later_packets(begins, earliest_ns)) {
      return tx_ns + 1;
    } else {
      if (ledger_.has_unsent() && ledger_.head_arrival_ns() < tx_ns) count_stalls(ledger_.head_arrival_ns(), tx_ns);
      send_segment(begins, earliest_ns);
    }
  }
}

// Whether packets that arrive before the slot could share it, or could make its poll unnecessary.
bool RlcLinkLayer::may_depend_on_later_packets(bool begins, Nanoseconds earliest_ns) const {
  if (begins && may_be_joined(earliest_ns)) return true;
  return sender_.poll_depends_on_queue() && (begins ? may_be_last(earliest_ns) : !ledger_.has_unsent());
}

void RlcLinkLayer::send_segment(bool begins, Nanoseconds earliest_ns) {
  std::int64_t sn;
  Slot slot;
  if (begins) {
    const auto [taken, unit] = send_data_unit(earliest_ns);
    slot = taken;
    sn = sender_.begin(unit.packets);
  } else {
    slot = send(earliest_ns, &UnitCounts::repeated);
    sn = sender_.repeat();
  }
  const bool poll = sender_.polls(slot.sent_ns, ledger_.has_unsent());
  if (!slot.erased) under_way_.emplace(slot.arrival_ns, Segment{sn, poll});
}

Nanoseconds RlcLinkLayer::arrival_ns() const { return under_way_.empty() ? never : under_way_.begin()->first; }

// When the first status report reaches the sender.
Nanoseconds RlcLinkLayer::report_ns() const {
  return receiver_.reports().empty() ? never : sum_of(receiver_.reports().front().made_ns, options_.rtt_ns);
}

Nanoseconds RlcLinkLayer::next_event_ns() const {
  return std::min({arrival_ns(), receiver_.reassembly_due_ns(), receiver_.status_due_ns(), report_ns(),
                   sender_.poll_due_ns()});
}

// Lets the first event happen, which is due at `event_ns`.
void RlcLinkLayer::let_happen(Nanoseconds event_ns) {
  passed_ns_ = event_ns;
  if (event_ns == arrival_ns()) {
    const Segment segment = under_way_.begin()->second;
    under_way_.erase(under_way_.begin());
    receiver_.take(segment.sn, segment.poll, event_ns);
  } else if (event_ns == receiver_.reassembly_due_ns()) {
    receiver_.end_reassembly();
  } else if (event_ns == receiver_.status_due_ns()) {
    receiver_.end_prohibition();
  } else if (event_ns == report_ns()) {
    sender_.take(receiver_.take_report(), event_ns, receiver_);
  } else {
    sender_.end_poll_timer(ledger_.has_unsent());
  }
  receiver_.answer_waiting_poll(event_ns);
  settle_packets();
}

void RlcLinkLayer::settle_packets() {
  for (const SettledSegment& settled : receiver_.take_settled()) {
    for (const std::int64_t packet : sender_.packets(settled.sn)) {
      ledger_.settle(packet, settled.time_ns, settled.delivered);
    }
  }
  const std::int64_t first = options_.rlc->acknowledged ? sender_.next_ack() : receiver_.next();
  sender_.forget_before(first);
  receiver_.forget_before(first);
}

}  // namespace clift
