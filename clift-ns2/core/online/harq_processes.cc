#include "core/online/harq_processes.h"

#include <algorithm>
#include <utility>

namespace clift {

Nanoseconds HarqProcesses::work(Nanoseconds now_ns) {
  while (true) {
    const bool has_data = ledger_.has_unsent();
    const Nanoseconds data_ns = has_data ? ledger_.head_arrival_ns() : never;
    const Transmission transmission = next(data_ns);
    const Nanoseconds tx_ns = transmission.tx_ns;
    if (tx_ns == never) {
      // Without packets the trace goes on: some may arrive and take its last slots.
      if (has_data) stop(data_ns);
      return never;
    }
    // Packets may arrive and take earlier slots.
    if (!has_data && tx_ns > now_ns && first_tx_ns(now_ns) < tx_ns) return tx_ns;
    if (is_too_far_ahead(now_ns, tx_ns)) return tx_ns;
    if (transmission.is_new && tx_ns >= now_ns && may_be_joined(tx_ns)) return tx_ns + 1;
    if (has_data && data_ns < tx_ns) count_stalls(data_ns, tx_ns);
    if (transmission.is_new && !ledger_.pull(tx_ns)) continue;
    send_next(transmission);
  }
}

// The trace ends before the packets that wait since `data_ns` can be sent.
void HarqProcesses::stop(Nanoseconds data_ns) {
  count_stalls(data_ns, never);
  next_tx_ns(never);
}

void HarqProcesses::transmit(Process& process, Nanoseconds tx_ns) {
  Slot slot;
  if (process.again) {
    slot = send(tx_ns, &UnitCounts::repeated);
  } else {
    const SentUnit sent = send_data_unit(tx_ns);
    slot = sent.slot;
    process.packets = sent.unit.packets;
    process.sent = 0;
    process.quality = 0.0;
    process.delivered = false;
  }
  ++process.sent;
  process.quality += combining_.quality(slot);
  const bool decoded = !slot.erased || (process.sent > 1 && combining_.suffices(process.quality));
  const Nanoseconds judged_ns = slot.erased ? sum_of(slot.sent_ns, options_.detection_delay_ns) : slot.arrival_ns;
  const bool arrives = decoded && !process.delivered;
  process.delivered |= arrives;
  const bool allowed = options_.repetitions < 0 || process.sent <= options_.repetitions;
  process.again = is_nack(process.delivered) && allowed;
  process.due_ns = sum_of(judged_ns, options_.rtt_ns);
  if (!arrives && (process.delivered || process.again)) return;
  for (const std::int64_t packet : process.packets) ledger_.settle(packet, judged_ns, arrives);
}

bool HarqProcesses::is_nack(bool delivered) {
  const double missed = parameters().missed_feedback, inverted = parameters().false_feedback;
  if (missed + inverted == 0.0) return !delivered;
  const double drawn = parameters().faults();
  return drawn < missed || delivered == (drawn < missed + inverted);
}

HarqProcesses::Transmission AsynchronousProcesses::next(Nanoseconds data_ns) {
  const Nanoseconds begin_ns = std::max(data_ns, free_ns());
  const Nanoseconds again_ns = nacked_.empty() ? never : nacked_.front().due_ns;
  const Nanoseconds earliest_ns = std::min(begin_ns, again_ns);
  if (earliest_ns == never) return {never, false};
  const Nanoseconds tx_ns = first_tx_ns(earliest_ns);
  return {tx_ns, again_ns > tx_ns};
}

void AsynchronousProcesses::send_next(const Transmission& next) {
  Process process;
  if (!next.is_new) {
    process = std::move(nacked_.front());
    nacked_.pop_front();
  } else if (all_taken()) {
    released_.pop_front();
  }
  transmit(process, next.tx_ns);
  if (process.again) {
    const auto is_earlier = [](const Process& one, const Process& other) { return one.due_ns < other.due_ns; };
    nacked_.insert(std::upper_bound(nacked_.begin(), nacked_.end(), process, is_earlier), std::move(process));
  } else {
    released_.insert(std::upper_bound(released_.begin(), released_.end(), process.due_ns), process.due_ns);
  }
}

// Whether a new unit must wait until a process is free.
bool AsynchronousProcesses::all_taken() const {
  return nacked_.size() + released_.size() == static_cast<std::size_t>(parameters().processes);
}

// Time from which a process is free.
Nanoseconds AsynchronousProcesses::free_ns() const {
  if (!all_taken()) return 0;
  return released_.empty() ? never : released_.front();
}

SynchronousProcesses::SynchronousProcesses(const LinkLayerOptions& options, SlotSource& slots)
    : HarqProcesses(options, slots),
      processes_(static_cast<std::size_t>(parameters().processes)),
      first_tx_ns_(slots.next_tx_ns(0)) {}

HarqProcesses::Transmission SynchronousProcesses::next(Nanoseconds data_ns) {
  Nanoseconds earliest_ns = data_ns, free_ns = never;
  for (const Process& process : processes_) {
    free_ns = std::min(free_ns, process.due_ns);
    if (process.again) earliest_ns = std::min(earliest_ns, process.due_ns);
  }
  if (earliest_ns == never) return {never, false};
  earliest_ns = std::max(earliest_ns, free_ns);
  while (true) {
    const Nanoseconds tx_ns = first_tx_ns(earliest_ns);
    if (tx_ns == never) return {never, false};
    const Process& process = process_at(tx_ns);
    if (process.due_ns <= tx_ns && (process.again || data_ns <= tx_ns)) return {tx_ns, !process.again};
    earliest_ns = tx_ns + 1;
  }
}

void SynchronousProcesses::send_next(const Transmission& next) { transmit(process_at(next.tx_ns), next.tx_ns); }

HarqProcesses::Process& SynchronousProcesses::process_at(Nanoseconds tx_ns) {
  const Nanoseconds slot_time_ns = parameters().slot_time_ns;
  const std::int64_t number = slot_time_ns > 0 ? (tx_ns - first_tx_ns_ + slot_time_ns / 2) / slot_time_ns
                                               : slot_number(tx_ns);
  return processes_[static_cast<std::size_t>(number) % processes_.size()];
}

Nanoseconds BlindRepetition::work(Nanoseconds now_ns) {
  while (ledger_.has_unsent()) {
    const Nanoseconds earliest_ns = ledger_.head_arrival_ns();
    const Nanoseconds tx_ns = next_tx_ns(earliest_ns);
    if (tx_ns == never) return never;
    if (tx_ns >= now_ns && may_be_joined(earliest_ns)) return tx_ns + 1;
    if (is_pulled_later(now_ns, tx_ns)) return tx_ns;
    if (ledger_.pull(tx_ns)) send_copies(earliest_ns);
  }
  return never;
}

void BlindRepetition::send_copies(Nanoseconds earliest_ns) {
  const auto [first, unit] = send_data_unit(earliest_ns);
  Nanoseconds sent_ns = first.sent_ns, arrival_ns = first.erased ? never : first.arrival_ns;
  double quality = combining_.quality(first);
  for (std::int64_t i = 1; i < options_.harq_processes->copies && next_tx_ns(sent_ns) != never; ++i) {
    const Slot slot = send(sent_ns, &UnitCounts::repeated);
    quality += combining_.quality(slot);
    sent_ns = slot.sent_ns;
    if (!slot.erased) {
      arrival_ns = std::min(arrival_ns, slot.arrival_ns);
    } else if (arrival_ns == never && combining_.suffices(quality)) {
      arrival_ns = sum_of(sent_ns, options_.detection_delay_ns);
    }
  }
  const bool delivered = arrival_ns != never;
  if (!delivered && stopped()) return;  // the trace ends before the last copy
  const Nanoseconds settled_ns = delivered ? arrival_ns : sum_of(sent_ns, options_.detection_delay_ns);
  for (const std::int64_t packet : unit.packets) ledger_.settle(packet, settled_ns, delivered);
}

std::unique_ptr<LowerLayer> make_harq_processes(const LinkLayerOptions& options, SlotSource& slots) {
  if (options.harq_processes->copies > 0) return std::make_unique<BlindRepetition>(options, slots);
  if (options.harq_processes->synchronous) return std::make_unique<SynchronousProcesses>(options, slots);
  return std::make_unique<AsynchronousProcesses>(options, slots);
}

}  // namespace clift
