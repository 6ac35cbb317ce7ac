// A path between a sender and a receiver of the core, with a time of its own: a rate, a queue, delays. No simulator is needed.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "core/time.h"
#include "tests/milliseconds.h"

namespace clift {

// Delays beyond the path's own, one for each copy of a packet that arrives. None: the packet is lost.
using Delays = std::vector<Nanoseconds>;

struct PathOptions {
  Nanoseconds packet_ns = 1 * ms;    // of the bottleneck, a packet
  Nanoseconds one_way_ns = 50 * ms;  // each way
  std::int64_t queue_packets = 1'000'000;
};

class PacketPath {
 public:
  explicit PacketPath(const PathOptions& options) : link_(options) {}
  virtual ~PacketPath() = default;
  PacketPath(const PacketPath&) = delete;
  PacketPath& operator=(const PacketPath&) = delete;

  // Until nothing is left to happen, `until_ns`, or `stop`. `after_each` is called after whatever has happened.
  void run(Nanoseconds until_ns = never, const std::function<void()>& after_each = {}) {
    is_stopped_ = false;
    while (!is_stopped_) {
      const Nanoseconds deadline_ns = next_deadline_ns();
      const Nanoseconds event_ns = events_.empty() ? never : events_.begin()->first;
      const Nanoseconds next_ns = std::min(deadline_ns, event_ns);
      if (next_ns == never || next_ns > until_ns) break;
      now_ns = std::max(now_ns, next_ns);
      if (event_ns <= deadline_ns) {
        events_.extract(events_.begin()).mapped().action();
      } else {
        on_deadline();
      }
      if (after_each) after_each();
    }
    if (until_ns != never && !is_stopped_) now_ns = std::max(now_ns, until_ns);
  }

  void stop() { is_stopped_ = true; }

  void at(Nanoseconds time_ns, const std::function<void()>& action) { events_.emplace(time_ns, Event{action}); }

  // Another rate of the bottleneck from now on, for the packets in its queue, too.
  void set_packet_ns(Nanoseconds packet_ns) {
    const double stretch = static_cast<double>(packet_ns) / static_cast<double>(link_.packet_ns);
    const auto delay_ns = [&](Nanoseconds leaves_ns) {
      return static_cast<Nanoseconds>(static_cast<double>(leaves_ns - now_ns) * (stretch - 1.0));
    };
    std::multimap<Nanoseconds, Event> events;
    for (auto& [time_ns, event] : events_) {
      const Nanoseconds later_ns = event.leaves_ns > now_ns ? delay_ns(event.leaves_ns) : 0;
      event.leaves_ns += later_ns;
      events.emplace(time_ns + later_ns, event);
    }
    events_ = std::move(events);
    if (link_free_ns_ > now_ns) link_free_ns_ += delay_ns(link_free_ns_);
    link_.packet_ns = packet_ns;
  }

  Nanoseconds now_ns = 0;

 protected:
  virtual Nanoseconds next_deadline_ns() const = 0;
  virtual void on_deadline() = 0;

  // A packet enters the queue, or is dropped there before its fate is asked for. A lost one takes its time, too.
  void send_over(const std::function<Delays()>& fate, const std::function<void()>& arrive) {
    const Nanoseconds starts_ns = std::max(now_ns, link_free_ns_);
    if (starts_ns - now_ns >= link_.queue_packets * link_.packet_ns) return;
    link_free_ns_ = starts_ns + link_.packet_ns;
    for (const Nanoseconds extra_ns : fate()) {
      events_.emplace(link_free_ns_ + link_.one_way_ns + extra_ns, Event{arrive, link_free_ns_});
    }
  }

  void send_back(const Delays& fate, const std::function<void()>& arrive) {
    for (const Nanoseconds extra_ns : fate) at(now_ns + link_.one_way_ns + extra_ns, arrive);
  }

 private:
  struct Event {
    std::function<void()> action;
    Nanoseconds leaves_ns = 0;  // a packet's end of transmission at the bottleneck
  };

  PathOptions link_;
  std::multimap<Nanoseconds, Event> events_;  // those of one moment in the order in which they were made
  Nanoseconds link_free_ns_ = 0;
  bool is_stopped_ = false;
};

}  // namespace clift
