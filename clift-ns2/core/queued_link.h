// A queue with a discipline, and the link that pulls packets out of it. The host keeps the time and owns the packets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/aqm/disciplines.h"
#include "core/link_plan.h"
#include "core/ring.h"
#include "core/time.h"

namespace clift {

struct QueueOptions {
  DisciplineChoice discipline;
  QueueLimits limits;
  bool limits_count_sending = true;  // packets on the link count until they depart
};

// A packet on the link, and its fate.
struct PulledPacket {
  QueuedPacket packet;
  Delivery delivery;
};

// The link pulls a packet at the time of the first row that it takes, as a modem does: until then it waits, and the
// discipline may drop it or choose another one. A discipline that always sends what it has taken, in order, loses nothing
// when its packets are pulled on arrival: their rows are the same.
//
// Functions that run for every packet are inlined into the host's, which gcc would otherwise not do with large ones.
class QueuedLink {
 public:
  // Throws SettingError if there is no such discipline. `uniform` is for disciplines that draw lots.
  QueuedLink(LinkPlan plan, const QueueOptions& options, UniformSource uniform = {});

  // Takes a packet at its arrival. Returns what `pull` returns if the link pulls it at once; null if it waits or is dropped,
  // then call `pull`. Earlier departures have been told by `depart`.
  [[gnu::always_inline]] const PulledPacket* take(const QueuedPacket& packet) {
    if (!pulls_on_arrival_) {
      enqueue(packet);
      return nullptr;
    }
    // The queue is always empty: no need to put the packet there and take it out again.
    if (!discipline_->lets_pass(packet)) return nullptr;
    PulledPacket& pulled = sent_.extend();
    pulled.packet = packet;
    return send(pulled) ? &pulled : nullptr;
  }

  // Changes a limit from now on; what waits stays.
  void limit_packets(std::int64_t packets) { discipline_->limit_packets(packets); }

  // When `pull` has something to do; `never` while nothing waits.
  Nanoseconds pull_ns() const { return pull_ns_; }

  // At `pull_ns()`: puts a packet on the link and returns it, valid until the next call; null if all that waited have been
  // dropped, or if the link stops.
  const PulledPacket* pull();

  // The packet that departs next; null without one.
  const PulledPacket* sending() const { return sent_.empty() ? nullptr : &sent_.front(); }

  // When it departs; `never` without one.
  Nanoseconds departure_ns() const { return sent_.empty() ? never : sent_.front().delivery.departure_ns; }

  // When it departs or `pull` has something to do.
  Nanoseconds next_ns() const { return std::min(departure_ns(), pull_ns_); }

  // Takes it off the link.
  void depart() {
    if (limits_count_sending_) discipline_->count_sending(sent_.front().packet, -1);
    sent_.pop();
  }

  // Packets that the discipline has dropped since `clear_dropped`.
  const std::vector<DroppedPacket>& dropped() const { return discipline_->dropped(); }
  void clear_dropped() { discipline_->clear_dropped(); }

  // Takes all packets out of the queue and off the link, which is of no use afterwards.
  std::vector<QueuedPacket> take_all(Nanoseconds now_ns);

  // Packets that wait or are being sent.
  std::int64_t queued() const {
    return discipline_->load().packets + static_cast<std::int64_t>(sent_.size() + stuck_.size());
  }

  // When the link begins to send a packet that comes next; for a host that lets none wait here.
  Nanoseconds ready_ns() const { return stopped_ ? never : plan_.begin_ns(free_ns_); }

  // Whether rows have run out: all packets that have not been sent stay.
  bool stopped() const { return stopped_; }

  const LinkPlan& plan() const { return plan_; }

 private:
  void enqueue(QueuedPacket packet);  // a copy: `take` then need not put its packet in memory

  // Plans the packet that `sent_` has got last. False without enough rows.
  [[gnu::always_inline]] bool send(PulledPacket& pulled) {
    auto& [packet, delivery] = pulled;
    if (limits_count_sending_) discipline_->count_sending(packet, 1);
    if (!plan_.plan(packet.arrival_ns, packet.size_bytes, delivery)) {
      stop(packet);
      return false;
    }
    free_ns_ = delivery.departure_ns;
    return true;
  }

  void stop(const QueuedPacket& packet);
  void find_pull(Nanoseconds from_ns);
  void find_empty(Nanoseconds now_ns);

  LinkPlan plan_;
  std::unique_ptr<Discipline> discipline_;
  bool limits_count_sending_;
  bool pulls_on_arrival_;  // until the link stops
  bool stopped_ = false;
  Nanoseconds pull_ns_ = never;
  Nanoseconds free_ns_ = 0;  // departure of the last packet that was pulled
  Ring<PulledPacket> sent_;
  std::vector<QueuedPacket> stuck_;  // what has found too few rows
};

}  // namespace clift
