// What the modem of a return link does with TCP acknowledgements (RFC 3449, section 5.2.1): it removes an ACK only when a
// later one of the same flow says all that it says. The host holds the packets and tells the time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/time.h"

namespace clift {

// The fields of a packet that thinning looks at.
struct AckView {
  std::int64_t flow = 0;
  std::int64_t acknowledged = 0;  // cumulative, in any unit
  std::int64_t size_bytes = 0;
  unsigned flags = 0;             // of ECN
  bool is_plain = false;          // an ACK without data, SACK or DSACK block, SYN, FIN, RST or URG
};

// Whether one ACK may stand in the place of the other: they differ in nothing that a place or ECN needs.
inline bool are_alike(const AckView& a, const AckView& b) { return a.size_bytes == b.size_bytes && a.flags == b.flags; }

// Tells the ACKs that may be removed: plain ones that acknowledge more than the flow's packet before. Duplicate ACKs and
// window updates stay.
class RemovableAcks {
 public:
  // Every packet passes here once, in order.
  bool is_removable(const AckView& packet) {
    const auto [last, is_first] = acknowledged_.emplace(packet.flow, packet.acknowledged);
    const bool is_more = is_first || packet.acknowledged > last->second;
    if (is_more) last->second = packet.acknowledged;
    return packet.is_plain && is_more;
  }

 private:
  std::map<std::int64_t, std::int64_t> acknowledged_;  // by flow: the highest number
};

// ACK filtering: an arriving ACK takes the place of the flow's last packet in the queue, if that packet waits, and both are
// removable. The older ACK is dropped. `Place` is the host's name for a place in the queue.
template <class Place>
class AckFilter {
 public:
  // The place that the arriving packet takes if its packet still waits; none: it joins at the tail.
  std::optional<Place> place_for(const AckView& arriving) {
    is_removable_ = removable_.is_removable(arriving);
    const auto last = last_.find(arriving.flow);
    if (!is_removable_ || last == last_.end()) return std::nullopt;
    const Last& older = last->second;
    if (!older.is_removable || !are_alike(older.view, arriving)) return std::nullopt;
    return older.place;
  }

  // The packet of the last call of `place_for` is in the queue.
  void joined(const AckView& packet, Place place) {
    last_.insert_or_assign(packet.flow, Last{std::move(place), packet, is_removable_});
  }

 private:
  struct Last {
    Place place;
    AckView view;
    bool is_removable;
  };

  RemovableAcks removable_;
  std::map<std::int64_t, Last> last_;  // by flow: its last packet that joined the queue
  bool is_removable_ = false;
};

// ACK decimation: at most one removable ACK of a flow passes in an interval. An ACK that comes too early is held; the next
// one takes its place, and the interval's end lets it pass. Any other packet of the flow passes at once, behind the held ACK.
template <class Packet>
class AckSpacing {
 public:
  struct Passed {
    Packet packet;
    AckView view;
    Nanoseconds time_ns;
  };

  explicit AckSpacing(Nanoseconds interval_ns) : interval_ns_(interval_ns) {}

  // A packet arrives. Returns the held ACK that it replaces. Call `release` before, and `take_passed` after it.
  std::optional<Packet> arrive(Nanoseconds now_ns, const AckView& view, Packet packet) {
    Flow& flow = flows_[view.flow];
    if (!removable_.is_removable(view)) {
      pass_held(flow, now_ns);
      pass(std::move(packet), view, now_ns);
      return std::nullopt;
    }
    std::optional<Packet> replaced;
    if (flow.held && !are_alike(flow.held->view, view)) pass_held(flow, now_ns);
    if (flow.held) {
      replaced = std::exchange(flow.held->packet, std::move(packet));
      flow.held->view = view;
    } else if (now_ns < flow.next_ns) {
      flow.held = Held{std::move(packet), view};
      due_.emplace(flow.next_ns, view.flow);
    } else {
      flow.next_ns = sum_of(now_ns, interval_ns_);
      pass(std::move(packet), view, now_ns);
    }
    return replaced;
  }

  // When the next held ACK passes; `never` without one.
  Nanoseconds next_ns() const { return due_.empty() ? never : due_.begin()->first; }

  // Lets the held ACKs pass that are due by `now_ns`.
  void release(Nanoseconds now_ns) {
    while (next_ns() <= now_ns) pass_held(flows_[due_.begin()->second], next_ns());
  }

  // The packets that have passed since the last call, in order of time.
  std::vector<Passed> take_passed() { return std::exchange(passed_, {}); }

 private:
  struct Held {
    Packet packet;
    AckView view;
  };

  struct Flow {
    Nanoseconds next_ns = 0;  // before this time no removable ACK passes
    std::optional<Held> held;
  };

  void pass_held(Flow& flow, Nanoseconds now_ns) {
    if (!flow.held) return;
    due_.erase({flow.next_ns, flow.held->view.flow});
    flow.next_ns = sum_of(now_ns, interval_ns_);
    pass(std::move(flow.held->packet), flow.held->view, now_ns);
    flow.held.reset();
  }

  void pass(Packet packet, const AckView& view, Nanoseconds now_ns) {
    passed_.push_back({std::move(packet), view, now_ns});
  }

  const Nanoseconds interval_ns_;
  RemovableAcks removable_;
  std::map<std::int64_t, Flow> flows_;
  std::set<std::pair<Nanoseconds, std::int64_t>> due_;  // time and flow of each held ACK
  std::vector<Passed> passed_;
};

}  // namespace clift
