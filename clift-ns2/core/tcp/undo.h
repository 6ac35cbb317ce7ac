// Whether an episode of recovery was needless: by the timestamp that the first new ACK echoes (Eifel, RFC 3522), or by
// DSACKs for every packet that was sent again (RFC 3708).
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

  // An ACK advances from `prior_una` to `una`; `echo_ns` is the timestamp that it echoes, -1: none. Only the one that
  // covers the first retransmission decides. Returns whether the episode was needless.
  bool on_advance(std::int64_t prior_una, std::int64_t una, Nanoseconds echo_ns);

  // A DSACK reports that `sequence` arrived twice. Returns whether that holds for all that was sent again.
  bool on_dsack(std::int64_t sequence);

  // The episode's effect is undone, or is to stay.
  void end();

 private:
  std::map<std::int64_t, int> retransmissions_;  // of each packet, without those that DSACKs report
  std::int64_t first_ = 0;                       // the packet that was sent again first
  Nanoseconds first_ns_ = -1;                    // and when; -1: none, or decided
};

}  // namespace clift::tcp
