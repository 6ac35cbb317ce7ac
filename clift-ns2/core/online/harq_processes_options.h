// Parameters of HARQ processes.
#pragma once

#include <cstdint>

#include "core/time.h"
#include "core/uniform_source.h"

namespace clift {

// How the receiver combines the transmissions of a unit.
enum class Combining {
  none,         // each is decoded alone
  chase,        // adds their SNRs
  incremental,  // adds their mutual information
};

struct HarqProcessesOptions {
  std::int64_t processes = 16;   // stop-and-wait processes, at least 1
  bool synchronous = false;      // each process has its own slots; otherwise a retransmission takes the first slot
  Nanoseconds slot_time_ns = 0;  // synchronous: time from slot to slot; 0: the slots have no gaps
  std::int64_t copies = 0;       // feedback off: slots that carry each unit; 0: feedback on
  Combining combining = Combining::none;  // others need slots with Es/N0
  double combining_threshold_db = 0.0;    // Es/N0 at which one transmission is decoded
  double missed_feedback = 0.0;  // probability that feedback does not arrive, which the sender takes for a NACK
  double false_feedback = 0.0;   // probability that feedback is read as its opposite
  UniformSource faults;          // draws missed and false feedback, if their probabilities are not both 0
};

}  // namespace clift
