// Whether an episode of recovery was needless: by the timestamps that ACKs echo (Eifel, RFC 3522), or by DSACKs for every
// packet that was sent again (RFC 3708).
#pragma once

#include <cstdint>
#include <map>

#include "core/time.h"

namespace clift::tcp {

class UndoDetector {
 public:
  // An episode begins; what is known of the one before is forgotten.
  void begin();

  // A packet is sent again in this episode.
  void on_retransmitted(std::int64_t sequence, Nanoseconds now_ns);

  // Whether an ACK that advances echoes the timestamp of a packet that was sent before the first retransmission: a
  // late packet has caused it, and no retransmission. -1: it echoes none.
  bool is_caused_by_late_packet(Nanoseconds echo_ns) const {
    return first_ns_ >= 0 && echo_ns >= 0 && echo_ns < first_ns_;
  }

  // A DSACK reports that `sequence` arrived twice. Returns whether that holds for all that was sent again.
  bool on_dsack(std::int64_t sequence);

  // The episode's effect is undone, or is to stay.
  void end();

 private:
  std::map<std::int64_t, int> retransmissions_;  // of each packet, without those that DSACKs report
  Nanoseconds first_ns_ = -1;                    // time of the first retransmission; -1: none
};

}  // namespace clift::tcp
