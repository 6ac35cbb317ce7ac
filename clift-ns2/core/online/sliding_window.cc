#include "core/online/sliding_window.h"

#include <algorithm>

namespace clift {

SlidingWindow::SlidingWindow(const LinkLayerOptions& options, SlotSource& slots)
    : LowerLayer(options, slots), decoder_(options.sliding_window->window) {}

Nanoseconds SlidingWindow::work(Nanoseconds now_ns) {
  const Nanoseconds wake_ns = send_units(now_ns);
  // Later slots arrive later than this.
  decode(stopped() ? never : std::max(now_ns, last_tx_ns_));
  return std::min(wake_ns, next_decoding_ns());
}

LowerLayer::Transmission SlidingWindow::next(Nanoseconds data_ns) {
  const Nanoseconds earliest_ns = since_repair_ > 0 ? 0 : data_ns;
  if (earliest_ns == never) return {never, false};
  const Nanoseconds tx_ns = first_tx_ns(earliest_ns);
  if (since_repair_ == options_.sliding_window->interval) return {tx_ns, false};
  return {tx_ns, data_ns <= tx_ns, data_ns > tx_ns};
}

Nanoseconds SlidingWindow::send_units(Nanoseconds now_ns) {
  while (since_repair_ > 0 || ledger_.has_unsent()) {
    const bool repair_is_due = since_repair_ == options_.sliding_window->interval;
    const bool has_data = ledger_.has_unsent() && !repair_is_due;
    const Nanoseconds earliest_ns = has_data ? ledger_.head_arrival_ns() : 0;
    const Nanoseconds tx_ns = next_tx_ns(earliest_ns);
    if (tx_ns == never) return never;
    // Packets that arrive by the next slot may use it.
    if (tx_ns >= now_ns && (has_data ? may_be_joined(earliest_ns) : !repair_is_due)) return tx_ns + 1;
    if ((has_data || options_.is_shared) && is_pulled_later(now_ns, tx_ns)) return tx_ns;
    if (!has_data) {
      send_repair();
    } else if (ledger_.pull(tx_ns)) {
      send_source(earliest_ns);
    }
  }
  return never;
}

void SlidingWindow::send_source(Nanoseconds earliest_ns) {
  const auto [slot, unit] = send_data_unit(earliest_ns);
  units_.push_back({unit.packets, slot.erased, true});
  ++since_repair_;
  sent(slot, -1);
}

void SlidingWindow::send_repair() {
  since_repair_ = 0;
  sent(send(0, &UnitCounts::repair), repairs_++);
}

void SlidingWindow::sent(const Slot& slot, std::int64_t repair) {
  last_tx_ns_ = slot.tx_ns;
  const std::int64_t number = slots_used_++;
  if (!slot.erased) arrivals_.push({slot.arrival_ns, number, repair, newest()});
}

void SlidingWindow::decode(Nanoseconds until_ns) {
  while (!arrivals_.empty() && arrivals_.top().time_ns <= until_ns) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    const bool is_source = arrival.repair < 0;
    const std::int64_t first = std::max<std::int64_t>(0, arrival.newest - options_.sliding_window->window + 1);
    const WindowDecoder::Outcome& outcome =
        is_source ? decoder_.take_source(arrival.newest) : decoder_.take_repair(arrival.repair, first, arrival.newest);
    for (const std::int64_t unit : outcome.left) {
      // A unit that the window has overtaken on its way is delivered when it arrives.
      if (at(unit).erased) settle(unit, arrival.time_ns, false);
    }
    for (const std::int64_t unit : outcome.known) settle(unit, arrival.time_ns, true);
    if (is_source) settle(arrival.newest, arrival.time_ns, true);
    for (; !units_.empty() && !units_.front().open; ++first_) units_.pop_front();
  }
}

// Settles the fate of a source unit that is open.
void SlidingWindow::settle(std::int64_t unit, Nanoseconds time_ns, bool delivered) {
  if (unit < first_ || !at(unit).open) return;
  at(unit).open = false;
  for (const std::int64_t packet : at(unit).packets) ledger_.settle(packet, time_ns, delivered);
}

}  // namespace clift
