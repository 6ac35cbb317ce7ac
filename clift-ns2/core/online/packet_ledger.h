// The packets of a link: unsent bytes of the head, and units under way whose fate is open.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/online/resequencer.h"
#include "core/online/slots.h"
#include "core/packing.h"
#include "core/time.h"

namespace clift {

// One data unit.
struct Unit {
  const std::vector<std::int64_t>& packets;  // packets whose bytes it carries; valid until the next unit is taken
  bool last;                                 // whether it ends the last of these packets
  std::int64_t left_bytes;                   // empty bytes of its slot
};

// Packets are numbered from 0 in the order in which they join.
class PacketLedger {
 public:
  PacketLedger(Packing packing, const ResequencerOptions& options) : packing_(packing), resequencer_(options) {}

  void add(Nanoseconds arrival_ns, std::int64_t size_bytes);

  bool has_unsent() const { return head_ < end(); }
  Nanoseconds head_arrival_ns() const { return at(head_).arrival_ns; }

  // Whether a later packet could share a data unit of this size.
  bool leaves_space_in(std::int64_t unit_bytes) const {
    return packing_ == Packing::packed && unsent_bytes_ < unit_bytes;
  }

  // Whether all unsent bytes fit in a data unit of this size, as long as no packet joins.
  bool fits_in(std::int64_t unit_bytes) const { return unsent_bytes_ <= unit_bytes; }

  // Takes the bytes for the data unit in a slot: from the head; if packed, also from the packets queued behind it.
  Unit take_unit(const Slot& slot);

  // Settles the fate of one unit of a packet.
  void settle(std::int64_t packet, Nanoseconds time_ns, bool delivered);

  Resequencer& resequencer() { return resequencer_; }
  const Resequencer& resequencer() const { return resequencer_; }

  // Times since the last call at which packets leave the queue, in their order: the end of the first transmission of the
  // packet's last unit.
  std::vector<Nanoseconds> take_departures();

 private:
  struct Entry {
    Nanoseconds arrival_ns;
    std::int64_t unsent_bytes;
    std::int64_t open_units;  // sent units whose fate is open
    Nanoseconds settled_ns;
    bool lost;
  };

  std::int64_t end() const { return first_ + static_cast<std::int64_t>(entries_.size()); }
  const Entry& at(std::int64_t packet) const { return entries_[static_cast<std::size_t>(packet - first_)]; }
  Entry& at(std::int64_t packet) { return entries_[static_cast<std::size_t>(packet - first_)]; }

  std::deque<Entry> entries_;
  std::int64_t first_ = 0;  // packet of entries_.front()
  std::int64_t head_ = 0;   // first packet with units to send
  std::int64_t unsent_bytes_ = 0;
  std::vector<std::int64_t> packets_;  // of the last unit
  std::vector<Nanoseconds> departures_;
  Packing packing_;
  Resequencer resequencer_;
};

}  // namespace clift
