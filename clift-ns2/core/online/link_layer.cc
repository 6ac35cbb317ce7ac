#include "core/online/link_layer.h"

#include <algorithm>

#include "core/online/go_back.h"
#include "core/online/harq_processes.h"
#include "core/online/rlc_link_layer.h"
#include "core/online/selective.h"
#include "core/online/sliding_window.h"
#include "core/online/tetrys.h"

namespace clift {

LinkLayer::LinkLayer(const LinkLayerOptions& options, SlotSource& slots)
    : options_(options), ledger_(options.packing, options.resequencer, options.queue, options.uniform, options.is_shared), slots_(slots) {}

void LinkLayer::offer(const QueuedPacket& packet) {
  const Nanoseconds now_ns = packet.arrival_ns;
  run(now_ns);
  pass_free_slots(now_ns);
  ledger_.add(packet);
  run(now_ns);
}

void LinkLayer::pass_free_slots(Nanoseconds until_ns) {
  if (!ledger_.pulls() || ledger_.has_unsent()) return;
  const Nanoseconds free_ns = slots_.next_tx_ns(0);
  if (free_ns < until_ns) ledger_.find_empty(free_ns);
}

void LinkLayer::run(Nanoseconds now_ns) {
  work_ns_ = stopped_ ? work_after_end(now_ns) : work(now_ns);
  // A shared slot that begins now is taken at the next nanosecond.
  if (options_.is_shared) work_ns_ = std::max(work_ns_, now_ns + 1);
  ledger_.resequencer().expire(now_ns);
}

Nanoseconds LinkLayer::wake_ns() const { return std::min(work_ns_, ledger_.resequencer().next_expiry_ns()); }

Slot LinkLayer::send(Nanoseconds earliest_ns, std::int64_t UnitCounts::*purpose) {
  pass_free_slots(slots_.next_tx_ns(earliest_ns));
  const Slot slot = slots_.take(earliest_ns);
  ++(units_.*purpose);
  units_.erased += slot.erased;
  return slot;
}

LinkLayer::SentUnit LinkLayer::send_data_unit(Nanoseconds earliest_ns) {
  const Slot slot = send(earliest_ns, &UnitCounts::data);
  return {slot, take_unit(slot)};
}

Unit LinkLayer::take_unit(const Slot& slot) {
  const Unit unit = ledger_.take_unit(slot);
  if (options_.packing == Packing::packed) units_.left_bytes += unit.left_bytes;
  return unit;
}

Nanoseconds LinkLayer::next_tx_ns(Nanoseconds earliest_ns) {
  const Nanoseconds tx_ns = slots_.next_tx_ns(earliest_ns);
  stopped_ |= tx_ns == never;
  return tx_ns;
}

std::unique_ptr<LinkLayer> make_link_layer(const LinkLayerOptions& options, SlotSource& slots) {
  if (options.rlc) return std::make_unique<RlcLinkLayer>(options, slots);
  if (options.recovery == Recovery::go_back) return std::make_unique<GoBackN>(options, slots);
  return make_lower_layer(options, slots);
}

std::unique_ptr<LowerLayer> make_lower_layer(const LinkLayerOptions& options, SlotSource& slots) {
  if (options.harq_processes) return make_harq_processes(options, slots);
  if (options.sliding_window && options.sliding_window->feedback) return std::make_unique<Tetrys>(options, slots);
  if (options.sliding_window) return std::make_unique<SlidingWindow>(options, slots);
  return std::make_unique<SelectiveLinkLayer>(options, slots);
}

}  // namespace clift
