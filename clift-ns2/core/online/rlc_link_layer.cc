#include "core/online/rlc_link_layer.h"

#include <algorithm>

namespace clift {

namespace {

// The layer that carries the segments; null for the bare link.
std::unique_ptr<LowerLayer> make_layer_below(LinkLayerOptions options, SlotSource& slots) {
  const bool recovers_blocks = options.recovery != Recovery::none || options.repair > 0;
  if (!options.harq_processes && !options.sliding_window && !recovers_blocks) return nullptr;
  options.packing = Packing::padded;
  options.resequencer = ResequencerOptions();
  options.queue = QueueOptions();
  return make_lower_layer(options, slots);
}

}  // namespace

RlcLinkLayer::RlcLinkLayer(const LinkLayerOptions& options, SlotSource& slots)
    : LinkLayer(options, slots),
      sender_(*options.rlc),
      receiver_(*options.rlc),
      below_(make_layer_below(options, slots)) {}

Nanoseconds RlcLinkLayer::work(Nanoseconds now_ns) {
  while (true) {
    const bool begins = !sender_.has_repeats() && ledger_.has_unsent() && !sender_.is_full();
    const bool sends = begins || sender_.has_repeats();
    const Nanoseconds earliest_ns = begins ? std::max(passed_ns_, ledger_.head_arrival_ns()) : passed_ns_;
    const auto [tx_ns, is_new, if_idle] = next_transmission(sends ? earliest_ns : never);
    const Nanoseconds event_ns = next_event_ns();
    if (event_ns <= tx_ns) {
      if (event_ns == never) return never;
      // Later packets can be sent before that event unless a segment waits for its slot, or the window is full. Over a
      // link that loses everything, polls go on for ever: each is one wake.
      const bool certain = (sends && tx_ns != never) || (sender_.is_full() && event_ns < sender_.poll_due_ns());
      if (event_ns > now_ns && (!certain || ledger_.pulls())) return event_ns;
      let_happen(event_ns);
      continue;
    }
    if ((!sends && tx_ns > now_ns) || is_too_far_ahead(now_ns, tx_ns)) return tx_ns;
    if (if_idle && tx_ns >= now_ns) return tx_ns + 1;
    if (is_new && tx_ns >= now_ns && may_depend_on_later_packets(begins, tx_ns)) return tx_ns + 1;
    if (ledger_.has_unsent() && ledger_.head_arrival_ns() < tx_ns) count_stalls(ledger_.head_arrival_ns(), tx_ns);
    if (is_new && begins && !ledger_.pull(tx_ns)) continue;
    if (is_new) {
      send_segment(begins, tx_ns);
    } else {
      below_->run(if_idle || options_.is_shared ? tx_ns + 1 : tx_ns);
      hear_from_below();
    }
  }
}

// Next transmission if a segment waits since `segment_ns`, or never.
LowerLayer::Transmission RlcLinkLayer::next_transmission(Nanoseconds segment_ns) {
  const bool sends = segment_ns != never;
  if (!below_) return {sends ? next_tx_ns(segment_ns) : never, true};
  const LowerLayer::Transmission next = below_->next(segment_ns);
  if (sends && next.tx_ns == never) next_tx_ns(segment_ns);  // the trace has ended
  return next;
}

// Whether packets that arrive before the slot could share it, or could make its poll unnecessary.
bool RlcLinkLayer::may_depend_on_later_packets(bool begins, Nanoseconds tx_ns) const {
  if (begins && may_be_joined(tx_ns)) return true;
  return sender_.poll_depends_on_queue() && (begins ? may_be_last(tx_ns) : ledger_.pulls() || !ledger_.has_unsent());
}

// Whether a new segment follows, where that decides about a poll: only then its packet is pulled, so that the discipline
// cannot take the answer back.
bool RlcLinkLayer::has_more(Nanoseconds now_ns) {
  return options_.rlc->acknowledged && !sender_.has_repeats() && !sender_.is_full() && ledger_.pull(now_ns);
}

void RlcLinkLayer::send_segment(bool begins, Nanoseconds tx_ns) {
  const auto purpose = begins ? &UnitCounts::data : &UnitCounts::repeated;
  const Slot slot = below_ ? send_below(tx_ns, purpose) : send(tx_ns, purpose);
  const std::int64_t sn = begins ? sender_.begin(take_unit(slot).packets) : sender_.repeat();
  const Segment segment{sn, sender_.polls(slot.sent_ns, has_more(slot.tx_ns))};
  const std::int64_t number = transmissions_++;
  if (below_) {
    carried_.emplace(number, segment);
    hear_from_below();
  } else if (!slot.erased) {
    under_way_.emplace(std::pair(slot.arrival_ns, number), segment);
  }
}

// The layer below has nothing else to send in the slot at `tx_ns`.
Slot RlcLinkLayer::send_below(Nanoseconds tx_ns, std::int64_t UnitCounts::*purpose) {
  Slot slot{tx_ns, tx_ns, tx_ns, false, slots_.next_size_bytes(tx_ns)};
  below_->offer(tx_ns, 1);
  if (options_.is_shared) below_->run(tx_ns + 1);
  slot.sent_ns = below_->take_departures().front().time_ns;
  ++(units_.*purpose);
  return slot;
}

// Takes over the fates that the layer below has settled, and its counts.
void RlcLinkLayer::hear_from_below() {
  for (const Release& release : below_->take_released()) {
    const auto carried = carried_.find(release.packet);
    if (release.delivered) under_way_.emplace(std::pair(release.time_ns, release.packet), carried->second);
    carried_.erase(carried);
  }
  const UnitCounts& units = below_->units();
  units_.repair += units.repair - units_below_.repair;
  units_.repeated += units.repeated - units_below_.repeated;
  units_.erased += units.erased - units_below_.erased;
  units_below_ = units;
}

Nanoseconds RlcLinkLayer::arrival_ns() const { return under_way_.empty() ? never : under_way_.begin()->first.first; }

// When the first status report reaches the sender.
Nanoseconds RlcLinkLayer::report_ns() const {
  return receiver_.reports().empty() ? never : sum_of(receiver_.reports().front().made_ns, options_.rtt_ns);
}

Nanoseconds RlcLinkLayer::next_event_ns() const {
  return std::min({decoding_ns(), arrival_ns(), receiver_.reassembly_due_ns(), receiver_.status_due_ns(),
                   report_ns(), sender_.poll_due_ns()});
}

// Lets the first event happen, which is due at `event_ns`.
void RlcLinkLayer::let_happen(Nanoseconds event_ns) {
  passed_ns_ = event_ns;
  const bool is_below = event_ns == decoding_ns();
  if (below_) below_->pass(event_ns);
  if (is_below) {
    hear_from_below();
  } else if (event_ns == arrival_ns()) {
    const Segment segment = under_way_.begin()->second;
    under_way_.erase(under_way_.begin());
    receiver_.take(segment.sn, segment.poll, event_ns);
  } else if (event_ns == receiver_.reassembly_due_ns()) {
    receiver_.end_reassembly();
  } else if (event_ns == receiver_.status_due_ns()) {
    receiver_.report();
  } else if (event_ns == report_ns()) {
    sender_.take(receiver_.take_report(), event_ns, receiver_);
  } else {
    sender_.end_poll_timer(has_more(event_ns));
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
