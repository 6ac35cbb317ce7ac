// The packets of a link: which units of the head are to be sent, and what is still open of those under way.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/online/resequencer.h"
#include "core/time.h"

namespace clift {

struct Unit {
  std::int64_t packet;
  bool last;  // of its packet
};

struct Departure {
  std::int64_t packet;
  Nanoseconds time_ns;  // its last unit has been sent for the first time: it leaves the queue
};

// Packets are numbered from 0 in the order in which they join.
class PacketLedger {
 public:
  explicit PacketLedger(const ResequencerOptions& options) : resequencer_(options) {}

  void add(Nanoseconds arrival_ns, std::int64_t units);

  bool has_unsent() const { return head_ < end(); }
  Nanoseconds head_arrival_ns() const { return at(head_).arrival_ns; }

  // Takes the head's next unit, which has been sent by `sent_ns`.
  Unit take_unit(Nanoseconds sent_ns);

  // The fate of one unit of a packet is settled.
  void settle(std::int64_t packet, Nanoseconds time_ns, bool delivered);

  Resequencer& resequencer() { return resequencer_; }
  const Resequencer& resequencer() const { return resequencer_; }
  std::vector<Departure> take_departures();

 private:
  struct Entry {
    Nanoseconds arrival_ns;
    std::int64_t unsent;
    std::int64_t open;
    Nanoseconds settled_ns;
    bool lost;
  };

  std::int64_t end() const { return first_ + static_cast<std::int64_t>(entries_.size()); }
  const Entry& at(std::int64_t packet) const { return entries_[static_cast<std::size_t>(packet - first_)]; }
  Entry& at(std::int64_t packet) { return entries_[static_cast<std::size_t>(packet - first_)]; }

  std::deque<Entry> entries_;
  std::int64_t first_ = 0;  // packet of entries_.front()
  std::int64_t head_ = 0;   // first packet with units to send
  std::vector<Departure> departures_;
  Resequencer resequencer_;
};

}  // namespace clift
