// Discipline of a queue: which packet is sent next, and which are dropped or marked. Each has a file in this folder.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/aqm/fifo.h"
#include "core/aqm/packet.h"
#include "core/time.h"

namespace clift {

// Upper bounds of a queue.
struct QueueLimits {
  std::int64_t packets = std::numeric_limits<std::int64_t>::max();
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  Nanoseconds time_ns = never;  // a packet that has waited longer is dropped

  bool outlived(const QueuedPacket& packet, Nanoseconds now_ns) const { return now_ns - packet.arrival_ns > time_ns; }
};

enum class DropCause : std::uint8_t { limit, discipline };

struct DroppedPacket {
  QueuedPacket packet;
  DropCause cause;
};

// The host calls `enqueue` and `dequeue` in order of time and takes the dropped packets after each call: they are its own
// to free and to record.
class Discipline {
 public:
  explicit Discipline(const QueueLimits& limits) : limits_(limits) {}
  virtual ~Discipline() = default;

  // Takes a packet at its arrival. It, or others, are dropped when there is no room.
  virtual void enqueue(const QueuedPacket& packet) = 0;

  // Moves the packet that the link sends from `now_ns` on into `packet`; false without one.
  virtual bool dequeue(Nanoseconds now_ns, QueuedPacket& packet) = 0;

  // Whether every packet that it takes is sent, in order of arrival, whenever the link asks for it.
  virtual bool sends_all_in_order() const { return false; }

  // What waits in the queue.
  virtual Load load() const = 0;

  // Changes a limit from now on; what waits stays.
  void limit_packets(std::int64_t packets) { limits_.packets = packets; }

  // Counts a packet that goes on the link (1), or leaves it (-1), for the limits.
  void count_sending(const QueuedPacket& packet, int sign) {
    sending_.packets += sign;
    sending_.bytes += sign * packet.size_bytes;
  }

  // Whether a packet has room while nothing waits; then the caller keeps it and does not enqueue it. Else it is dropped.
  bool lets_pass(const QueuedPacket& packet) {
    if (has_room({}, packet)) return true;
    drop(packet, DropCause::limit);
    return false;
  }

  // Packets dropped since `clear_dropped`.
  const std::vector<DroppedPacket>& dropped() const { return dropped_; }
  void clear_dropped() { dropped_.clear(); }

 protected:
  // Whether so much may wait.
  bool fits(const Load& waiting) const {
    return waiting.packets <= limits_.packets - sending_.packets && waiting.bytes <= limits_.bytes - sending_.bytes;
  }

  // Whether a packet has room beside those that wait.
  bool has_room(const Load& waiting, const QueuedPacket& packet) const {
    return fits({waiting.packets + 1, waiting.bytes + packet.size_bytes});
  }

  // Drops the packets at the head that have waited too long.
  void expire(Fifo& fifo, Nanoseconds now_ns) {
    while (!fifo.empty() && limits_.outlived(fifo.front(), now_ns)) drop(fifo.pop(), DropCause::limit);
  }

  void drop(const QueuedPacket& packet, DropCause cause) { dropped_.push_back({packet, cause}); }

  // Marks a packet of an ECN-capable transport; false, and no change, for another, which can only be dropped.
  static bool mark(QueuedPacket& packet) {
    if (packet.ecn == Ecn::not_ect) return false;
    packet.ecn = Ecn::ce;
    return packet.is_marked = true;
  }

  // Returns whether the packet is marked; another one is dropped.
  bool mark_or_drop(QueuedPacket& packet) {
    if (mark(packet)) return true;
    drop(packet, DropCause::discipline);
    return false;
  }

  QueueLimits limits_;

 private:
  Load sending_;
  std::vector<DroppedPacket> dropped_;
};

}  // namespace clift
