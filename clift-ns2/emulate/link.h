// One direction of an emulated path: a queue with a packet limit and the link behind it. Knows no clock and no
// device; the caller says what time it is.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "core/delivery_plan.h"
#include "core/schema.h"
#include "core/time.h"
#include "emulate/rate_plan.h"

namespace clift {

// A packet on its way, and what is recorded of it; the record holds the moment at which it was sent.
struct EmulatedPacket {
  std::vector<std::uint8_t> bytes;
  schema::PacketRecord record{};
};

// What comes of a packet at the far end, and when it should have come.
struct Outcome {
  EmulatedPacket packet;
  Fate fate;
  Nanoseconds due_ns;
};

struct LinkCounts {
  std::int64_t arrived = 0;     // packets that came to the queue
  std::int64_t overflowed = 0;  // dropped because the queue was full
  std::int64_t delivered = 0;
  std::int64_t lost = 0;
  std::int64_t unsettled = 0;
  std::int64_t delivered_bytes = 0;
};

class Link {
 public:
  using Plan = std::variant<DeliveryPlan, RatePlan>;

  // At most `limit_packets` in the queue, the one being sent included, as in Queue/Clift and ns-2's DropTail.
  Link(Plan plan, std::int64_t limit_packets, Nanoseconds propagation_ns);

  // Puts a packet into the queue; hands it back when that is full. Times do not decrease.
  std::optional<EmulatedPacket> take(Nanoseconds now_ns, EmulatedPacket packet);

  // When the next outcome is due; `never` when there is none to come.
  Nanoseconds next_due_ns() const;

  // Takes out the next outcome that is due by now, in order of time, then of arrival.
  std::optional<Outcome> outcome(Nanoseconds now_ns);

  const LinkCounts& counts() const { return counts_; }
  bool stopped() const { return stuck_packets_ > 0; }

  // How the trace was used until now; nothing for a plain link.
  std::optional<RowUse> row_use(Nanoseconds now_ns) const;

 private:
  struct Later {
    bool operator()(const Outcome& a, const Outcome& b) const;
  };

  std::int64_t queued(Nanoseconds now_ns);

  Plan plan_;
  std::int64_t limit_packets_;
  Nanoseconds propagation_ns_;
  std::deque<Nanoseconds> departures_;  // of the packets in the queue, as far as the trace goes
  std::int64_t stuck_packets_ = 0;      // in the queue behind the end of the trace
  std::vector<Outcome> outcomes_;       // a heap, the next one first
  LinkCounts counts_;
};

}  // namespace clift
