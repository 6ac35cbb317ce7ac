#include "core/online/tetrys.h"

#include <algorithm>

namespace clift {

Tetrys::Tetrys(const LinkLayerOptions& options, SlotSource& slots)
    : LowerLayer(options, slots), decoder_(options.sliding_window->window) {}

Nanoseconds Tetrys::work(Nanoseconds now_ns) {
  while (true) {
    const bool has_data = ledger_.has_unsent();
    const Use use = next_use(has_data);
    const Nanoseconds data_ns = has_data ? ledger_.head_arrival_ns() : never;
    const Nanoseconds earliest_ns = use == Use::source ? std::max(passed_ns_, data_ns) : passed_ns_;
    const Nanoseconds tx_ns = use == Use::nothing || stopped() ? never : tx_or_stop_ns(earliest_ns);
    const Nanoseconds event_ns = next_decoding_ns();
    const Nanoseconds next_ns = std::min(event_ns, tx_ns);
    if (is_too_far_ahead(now_ns, next_ns)) return next_ns;
    if (event_ns <= tx_ns) {
      // Later packets can be sent before that event unless another unit is certain to be sent next, or the window is
      // full.
      const bool certain = has_data || (tx_ns != never && use != Use::early_repair);
      if (event_ns > now_ns && !certain) return event_ns;
      let_happen(event_ns);
      continue;
    }
    // Packets that arrive by the next slot may use it.
    const bool may_change = use == Use::early_repair || (use == Use::source && may_be_joined(earliest_ns));
    if (may_change && tx_ns >= now_ns) return tx_ns + 1;
    if (data_ns < tx_ns) count_stalls(data_ns, tx_ns);
    if (use == Use::source) {
      if (ledger_.pull(tx_ns)) send_source(earliest_ns);
    } else {
      if (use != Use::repair) since_repair_ = 0;
      send_repair(earliest_ns);
    }
  }
}

LowerLayer::Transmission Tetrys::next(Nanoseconds data_ns) {
  const Nanoseconds tx_ns = first_tx_ns(passed_ns_);
  const Use use = next_use(data_ns <= tx_ns);
  if (use != Use::nothing) return {tx_ns, use == Use::source, use == Use::early_repair};
  if (data_ns == never || next_use(true) != Use::source) return {never, false};
  return {first_tx_ns(data_ns), true};
}

// Start of the first free slot at or after `earliest_ns`. When there is none, the trace ends with the window full.
Nanoseconds Tetrys::tx_or_stop_ns(Nanoseconds earliest_ns) {
  const Nanoseconds tx_ns = next_tx_ns(earliest_ns);
  if (tx_ns == never && ledger_.has_unsent()) count_stalls(ledger_.head_arrival_ns(), never);
  return tx_ns;
}

Tetrys::Use Tetrys::next_use(bool has_data) const {
  if (missing_ > under_way_) return Use::repair;
  const bool is_empty = first_ == units();
  if (since_repair_ == options_.sliding_window->interval && !is_empty) return Use::regular_repair;
  if (has_data) return units() - first_ < options_.sliding_window->window ? Use::source : Use::nothing;
  return since_repair_ > 0 && !is_empty ? Use::early_repair : Use::nothing;
}

void Tetrys::send_source(Nanoseconds earliest_ns) {
  // A regular repair unit is left out when nothing is to be repaired.
  if (since_repair_ == options_.sliding_window->interval) since_repair_ = 0;
  ++since_repair_;
  const auto [slot, unit] = send_data_unit(earliest_ns);
  units_.push_back({unit.packets, false, false});
  add_event(slot, std::nullopt, units() - 1);
}

void Tetrys::send_repair(Nanoseconds earliest_ns) {
  ++under_way_;
  add_event(send(earliest_ns, &UnitCounts::repair), repairs_++, first_);
}

void Tetrys::add_event(const Slot& slot, std::optional<std::int64_t> repair, std::int64_t first) {
  const Nanoseconds time_ns = slot.erased ? sum_of(slot.sent_ns, options_.detection_delay_ns) : slot.arrival_ns;
  events_.push({time_ns, slots_used_++, slot.erased, repair, first, units() - 1});
}

Nanoseconds Tetrys::next_decoding_ns() const {
  const Nanoseconds receiver_ns = events_.empty() ? never : events_.top().time_ns;
  return reports_.empty() ? receiver_ns : std::min(receiver_ns, reports_.front().time_ns);
}

void Tetrys::pass(Nanoseconds until_ns) {
  while (next_decoding_ns() <= until_ns) let_happen(next_decoding_ns());
  passed_ns_ = std::max(passed_ns_, until_ns);
}

// Lets the first event happen, which is due at `event_ns`.
void Tetrys::let_happen(Nanoseconds event_ns) {
  passed_ns_ = event_ns;
  if (!events_.empty() && events_.top().time_ns == event_ns) {
    const Event event = events_.top();
    events_.pop();
    receive(event);
    const Nanoseconds report_ns = sum_of(event_ns, options_.rtt_ns);
    reports_.push_back({report_ns, decoder_.first_unknown(), erased_ - decoder_.rank(), event.repair.has_value()});
    return;
  }
  const Report& report = reports_.front();
  first_ = report.first;
  missing_ = report.missing;
  under_way_ -= report.of_repair;
  reports_.pop_front();
}

void Tetrys::receive(const Event& event) {
  if (event.erased) {
    if (!event.repair) detect_erasure(event.newest);
    return;
  }
  const WindowDecoder::Outcome& outcome = event.repair ? decoder_.take_repair(*event.repair, event.first, event.newest)
                                                       : decoder_.take_source(event.newest);
  // No unit leaves the receiver's window unknown, since it is twice as long as the sender's.
  for (const std::int64_t unit : outcome.known) learn(unit, event.time_ns);
  for (; !units_.empty() && units_.front().known; ++first_open_) units_.pop_front();
}

void Tetrys::detect_erasure(std::int64_t unit) {
  if (unit < first_open_ || at(unit).known) return;
  at(unit).erased = true;
  ++erased_;
}

void Tetrys::learn(std::int64_t unit, Nanoseconds time_ns) {
  erased_ -= at(unit).erased;
  at(unit).known = true;
  for (const std::int64_t packet : at(unit).packets) ledger_.settle(packet, time_ns, true);
}

}  // namespace clift
