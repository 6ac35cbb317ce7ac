// Which transmission units a channel with two states loses.
#pragma once

#include <cstdint>

#include "core/uniform_source.h"

namespace clift {

// Gilbert-Elliott: probabilities of staying in the good and in the bad state, and of a loss in each.
struct ChannelOptions {
  double alpha = 1.0;
  double beta = 0.0;
  double error_good = 0.0;
  double error_bad = 1.0;
};

// The state moves once per unit time, whether a unit is sent or not, and begins in its stationary law. Numbers
// are drawn per change of state and per loss, not per unit.
class UnitLosses {
 public:
  // `uniforms` outlives the channel; alpha and beta are not both 1.
  UnitLosses(const ChannelOptions& options, UniformSource& uniforms);

  // Whether the next unit is lost.
  bool next_is_lost();

  // Lets unit times pass in which nothing is sent.
  void pass(std::int64_t units);

 private:
  void enter(bool bad);
  std::int64_t failures_before_success(double probability);

  ChannelOptions options_;
  UniformSource& uniforms_;
  bool bad_ = false;
  std::int64_t staying_ = 0;      // units until the state changes
  std::int64_t until_loss_ = 0;   // units before the next loss, if the state lasts so long
};

}  // namespace clift
