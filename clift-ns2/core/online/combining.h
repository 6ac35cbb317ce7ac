// Soft combining of the transmissions of a unit, by the Es/N0 of their slots.
#pragma once

#include "core/online/harq_processes_options.h"
#include "core/online/slots.h"

namespace clift {

// Decides as `tmt.core.schemes.harq_processes.converter` does, to the last bit: both round in the same places.
class SoftCombining {
 public:
  explicit SoftCombining(const HarqProcessesOptions& options);

  // What a transmission in this slot adds to the combined quality of its unit.
  double quality(const Slot& slot) const;

  // Whether the receiver decodes a retransmitted unit of this quality although the slot is erased.
  bool suffices(double combined) const { return combined >= needed_; }

 private:
  Combining kind_;
  double needed_;
};

}  // namespace clift
