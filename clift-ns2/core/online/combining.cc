#include "core/online/combining.h"

#include <cmath>
#include <limits>

namespace clift {

namespace {

// Of one transmission at an Es/N0 in thousandths of a dB: its SNR, or its mutual information.
double quality_at(Combining kind, double es_n0_mdb) {
  const double snr = std::pow(10.0, es_n0_mdb / 10'000.0);
  return kind == Combining::incremental ? std::log2(1.0 + snr) : snr;
}

}  // namespace

SoftCombining::SoftCombining(const HarqProcessesOptions& options)
    : kind_(options.combining),
      needed_(kind_ == Combining::none ? std::numeric_limits<double>::infinity()
                                       : quality_at(kind_, 1000.0 * options.combining_threshold_db)) {}

double SoftCombining::quality(const Slot& slot) const {
  return kind_ == Combining::none ? 0.0 : quality_at(kind_, slot.es_n0_mdb);
}

}  // namespace clift
