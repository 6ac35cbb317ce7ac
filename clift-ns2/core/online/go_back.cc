#include "core/online/go_back.h"

#include <algorithm>

namespace clift {

Nanoseconds GoBackN::work(Nanoseconds now_ns) {
  while (true) {
    const Nanoseconds report_ns = reports_.empty() ? never : reports_.front().time_ns;
    if (can_repeat() || can_begin()) {
      const Nanoseconds earliest_ns = can_repeat() ? learnt_ns_ : std::max(learnt_ns_, ledger_.head_arrival_ns());
      const Nanoseconds tx_ns = next_tx_ns(earliest_ns);
      if (tx_ns == never) return never;
      if (report_ns <= tx_ns) {
        learn();
      } else if (is_too_far_ahead(now_ns, tx_ns)) {
        return tx_ns;
      } else if (can_repeat()) {
        send_again();
      } else if (ledger_.pull(tx_ns)) {
        send_new(earliest_ns);
      }
    } else if (report_ns == never) {
      return never;
    } else if (report_ns <= now_ns || ledger_.has_unsent()) {
      // Packets wait for the window, so later arrivals cannot matter before the feedback.
      learn();
    } else {
      return report_ns;
    }
  }
}

// Applies the first feedback.
void GoBackN::learn() {
  const Report report = reports_.front();
  reports_.pop_front();
  learnt_ns_ = report.time_ns;
  if (report.again) {
    next_ = report.number;
  } else {
    blocks_.pop_front();
    ++oldest_;
  }
}

void GoBackN::send_new(Nanoseconds earliest_ns) {
  blocks_.emplace_back();
  Block& block = blocks_.back();
  for (bool last = false; !last;) {
    const auto [slot, unit] = send_data_unit(earliest_ns);
    receive(slot);
    block.packets.push_back(unit.packets.front());
    last = unit.last || static_cast<std::int64_t>(block.packets.size()) == options_.data;
    if (!last && next_tx_ns(earliest_ns) == never) return;
  }
  for (std::int64_t i = 0; i < options_.repair; ++i) {
    if (next_tx_ns(earliest_ns) == never) return;
    receive(send(earliest_ns, &UnitCounts::repair));
  }
  end_block();
}

void GoBackN::send_again() {
  const Block& block = blocks_[static_cast<std::size_t>(next_ - oldest_)];
  const auto units = static_cast<std::int64_t>(block.packets.size()) + options_.repair;
  for (std::int64_t i = 0; i < units; ++i) {
    if (next_tx_ns(learnt_ns_) == never) return;
    receive(send(learnt_ns_, &UnitCounts::repeated));
  }
  end_block();
}

void GoBackN::receive(const Slot& slot) {
  sent_ns_ = slot.sent_ns;
  if (slot.erased) return;
  ++arrived_;
  arrival_ns_ = std::max(arrival_ns_, slot.arrival_ns);
}

// Block next_ has been sent: the receiver takes it if it is the expected one.
void GoBackN::end_block() {
  const std::int64_t number = next_++;
  Block& block = blocks_[static_cast<std::size_t>(number - oldest_)];
  const bool arrived = arrived_ >= static_cast<std::int64_t>(block.packets.size());
  const Nanoseconds decoded_ns = std::max(arrival_ns_, sent_ns_);
  arrived_ = 0;
  arrival_ns_ = 0;
  if (number != expected_) return;
  const Nanoseconds judged_ns = sum_of(sent_ns_, options_.detection_delay_ns);
  if (!arrived && (options_.repetitions < 0 || block.trials++ < options_.repetitions)) {
    reports_.push_back({sum_of(sent_ns_, options_.timeout_ns), number, true});
    return;
  }
  for (const std::int64_t packet : block.packets) ledger_.settle(packet, arrived ? decoded_ns : judged_ns, arrived);
  ++expected_;
  reports_.push_back({sum_of(judged_ns, options_.rtt_ns), number, false});
}

}  // namespace clift
