// A path between a sender and a receiver of the core, with a time of its own: a rate, a queue, delays. No simulator is needed.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "core/time.h"

namespace clift {

inline constexpr Nanoseconds ms = 1'000'000;

// Delays beyond the path's own, one for each copy of a packet that arrives. None: the packet is lost.
using Delays = std::vector<Nanoseconds>;

struct PathOptions {
  Nanoseconds packet_ns = 1 * ms;    // of the bottleneck, a packet
  Nanoseconds one_way_ns = 50 * ms;  // each way
  std::int64_t queue_packets = 1'000'000;
};

class PacketPath {
 public:
  explicit PacketPath(const PathOptions& options) : options_(options) {}
  virtual ~PacketPath() = default;
  PacketPath(const PacketPath&) = delete;
  PacketPath& operator=(const PacketPath&) = delete;

  // Until nothing is left to happen, or `until_ns`. `after_each` is called after whatever has happened.
  void run(Nanoseconds until_ns = never, const std::function<void()>& after_each = {}) {
    while (true) {
      const Nanoseconds deadline_ns = next_deadline_ns();
      const Nanoseconds event_ns = events_.empty() ? never : events_.begin()->first;
      const Nanoseconds next_ns = std::min(deadline_ns, event_ns);
      if (next_ns == never || next_ns > until_ns) break;
      now_ns = std::max(now_ns, next_ns);
      if (event_ns <= deadline_ns) {
        events_.extract(events_.begin()).mapped()();
      } else {
        on_deadline();
      }
      if (after_each) after_each();
    }
    if (until_ns != never) now_ns = std::max(now_ns, until_ns);
  }

  Nanoseconds now_ns = 0;

 protected:
  virtual Nanoseconds next_deadline_ns() const = 0;
  virtual void on_deadline() = 0;

  // A packet enters the queue, or is dropped there before its fate is asked for. A lost one takes its time, too.
  void send_over(const std::function<Delays()>& fate, const std::function<void()>& arrive) {
    const Nanoseconds starts_ns = std::max(now_ns, link_free_ns_);
    if (starts_ns - now_ns >= options_.queue_packets * options_.packet_ns) return;
    link_free_ns_ = starts_ns + options_.packet_ns;
    for (const Nanoseconds extra_ns : fate()) events_.emplace(link_free_ns_ + options_.one_way_ns + extra_ns, arrive);
  }

  void send_back(const Delays& fate, const std::function<void()>& arrive) {
    for (const Nanoseconds extra_ns : fate) events_.emplace(now_ns + options_.one_way_ns + extra_ns, arrive);
  }

 private:
  const PathOptions options_;
  std::multimap<Nanoseconds, std::function<void()>> events_;  // those of one moment in the order in which they were made
  Nanoseconds link_free_ns_ = 0;
};

}  // namespace clift
