// The packets of a link: those in the queue's discipline, unsent bytes of the head, and units under way whose fate is open.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/online/resequencer.h"
#include "core/online/slots.h"
#include "core/packing.h"
#include "core/queued_link.h"
#include "core/time.h"

namespace clift {

// One data unit.
struct Unit {
  const std::vector<std::int64_t>& packets;  // packets whose bytes it carries; valid until the next unit is taken
  bool last;                                 // whether it ends the last of these packets
  std::int64_t left_bytes;                   // empty bytes of its slot
};

// A packet that leaves the queue at the end of the first transmission of its last unit.
struct Departure {
  Nanoseconds time_ns;
  QueuedPacket packet;
};

// Packets are numbered from 0 in the order in which they are pulled out of the discipline. Where that sends all packets in
// order, they are pulled on arrival; otherwise one is pulled for the slot that carries its first bytes, and none later than
// it: until then the discipline may drop it or prefer another one.
class PacketLedger {
 public:
  // Throws SettingError if there is no such discipline. `uniform` is for disciplines that draw lots.
  // `always_pulls`: also where the discipline sends all packets in order.
  PacketLedger(Packing packing, const ResequencerOptions& options, const QueueOptions& queue, UniformSource uniform,
               bool always_pulls);

  // A packet arrives; the discipline may drop it, or others.
  void add(const QueuedPacket& packet);

  // Whether packets are pulled slot by slot: then what waits may still be dropped.
  bool pulls() const { return !pulls_on_arrival_; }

  // A slot has found nothing at `free_ns`; the discipline learns it.
  void find_empty(Nanoseconds free_ns);

  // Whether packets wait to be sent, pulled or not.
  bool has_unsent() const { return head_ < end() || waits(); }

  // The time from which on packets have waited, at the latest the arrival of the next one to be sent.
  Nanoseconds head_arrival_ns() const { return head_ < end() ? at(head_).packet.arrival_ns : waiting_since_ns_; }

  // Whether there are bytes for a unit at `tx_ns`: those of a pulled packet, or of the next one, which is pulled then. What
  // waits may be dropped instead.
  bool pull(Nanoseconds tx_ns);

  // Whether a later packet could share a data unit of this size.
  bool leaves_space_in(std::int64_t unit_bytes) const {
    return packing_ == Packing::packed && (pulls() || unsent_bytes_ < unit_bytes);
  }

  // Whether all unsent bytes may fit in a data unit of this size, as long as no packet joins.
  bool fits_in(std::int64_t unit_bytes) const { return pulls() || unsent_bytes_ <= unit_bytes; }

  // Takes the bytes for the data unit in a slot, which `pull` has found: from the head; if packed, also from packets behind.
  Unit take_unit(const Slot& slot);

  // Settles the fate of one unit of a packet.
  void settle(std::int64_t packet, Nanoseconds time_ns, bool delivered);

  Resequencer& resequencer() { return resequencer_; }
  const Resequencer& resequencer() const { return resequencer_; }

  // Departures since the last call, in their order; the host calls `depart` at the time of each.
  std::vector<Departure> take_departures();
  void depart(const QueuedPacket& packet) { count(packet, -1); }

  // The queue with its limits and what it has dropped.
  Discipline& discipline() { return *discipline_; }

  // Packets that have not departed.
  std::int64_t queued() const { return discipline_->load().packets + sending_.packets; }

  // Takes all packets whose departure has not been told; the ledger is of no use afterwards.
  std::vector<QueuedPacket> take_all(Nanoseconds now_ns);

 private:
  struct Entry {
    QueuedPacket packet;
    std::int64_t unsent_bytes;
    std::int64_t open_units;  // sent units whose fate is open
    Nanoseconds settled_ns;
    bool lost;
  };

  std::int64_t end() const { return first_ + static_cast<std::int64_t>(entries_.size()); }
  const Entry& at(std::int64_t packet) const { return entries_[static_cast<std::size_t>(packet - first_)]; }
  Entry& at(std::int64_t packet) { return entries_[static_cast<std::size_t>(packet - first_)]; }
  bool waits() const { return discipline_->load().packets > 0; }
  bool join(Nanoseconds now_ns);
  void hold(const QueuedPacket& packet);
  void count(const QueuedPacket& packet, int sign);

  std::deque<Entry> entries_;
  std::int64_t first_ = 0;  // packet of entries_.front()
  std::int64_t head_ = 0;   // first packet with units to send
  std::int64_t unsent_bytes_ = 0;
  std::vector<std::int64_t> packets_;  // of the last unit
  std::vector<Departure> departures_;
  std::unique_ptr<Discipline> discipline_;
  bool limits_count_sending_;
  bool pulls_on_arrival_;
  Nanoseconds waiting_since_ns_ = 0;  // of what the discipline holds
  Load sending_;                      // pulled and not departed
  Packing packing_;
  Resequencer resequencer_;
};

}  // namespace clift
