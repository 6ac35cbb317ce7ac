// Detects a spurious recovery episode: by the timestamps that ACKs echo (Eifel, RFC 3522), or by DSACKs for every
// retransmission (RFC 3708).
#pragma once

#include <cstdint>
#include <map>

#include "core/time.h"

namespace clift::tcp {

class UndoDetector {
 public:
  // A new episode begins; the previous one is forgotten.
  void begin() { end(); }

  // A packet is retransmitted in this episode.
  void on_retransmitted(std::int64_t sequence, Nanoseconds now_ns);

  // Whether an ACK that advances echoes the timestamp of a packet that was sent before the first retransmission: then a
  // late packet, not a retransmission, has caused it. -1: the ACK echoes no timestamp.
  bool is_caused_by_late_packet(Nanoseconds echo_ns) const {
    return first_ns_ >= 0 && echo_ns >= 0 && echo_ns < first_ns_;
  }

  // A DSACK reports that `sequence` arrived twice. Returns whether DSACKs have now reported all retransmissions.
  bool on_dsack(std::int64_t sequence);

  // The episode's reduction is undone, or becomes final.
  void end();

 private:
  std::map<std::int64_t, int> retransmissions_;  // retransmissions of each packet that no DSACK has reported
  Nanoseconds first_ns_ = -1;                    // time of the first retransmission; -1: none
};

}  // namespace clift::tcp
