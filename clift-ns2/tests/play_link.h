// Plays what a link does up to a time, as its hosts do.
#pragma once

#include <algorithm>

#include "core/queued_link.h"

namespace clift {

// Calls `sent(packet, now_ns)` before each packet leaves the link, and `pulled(now_ns)` after each pull.
template <typename Sent, typename Pulled>
void play(QueuedLink& link, Nanoseconds until_ns, Sent sent, Pulled pulled) {
  for (;;) {
    const PulledPacket* next = link.sending();
    const Nanoseconds departure_ns = next != nullptr ? next->delivery.departure_ns : never;
    const Nanoseconds now_ns = std::min(departure_ns, link.pull_ns());
    if (now_ns > until_ns || now_ns == never) return;
    if (departure_ns <= link.pull_ns()) {
      sent(next->packet, now_ns);
      link.depart();
    } else {
      link.pull();
      pulled(now_ns);
    }
  }
}

}  // namespace clift
