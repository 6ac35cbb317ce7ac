// Losses of transmission units on a two-state channel.
#pragma once

#include <cstdint>

#include "core/uniform_source.h"

namespace clift {

// Gilbert-Elliott channel: probabilities of staying in the good and in the bad state, and of a loss in each state.
struct ChannelOptions {
  double alpha = 1.0;
  double beta = 0.0;
  double error_good = 0.0;
  double error_bad = 1.0;
};

// The state moves once per unit time, also without transmissions, and starts in its stationary law. Random numbers are
// drawn for each change of state and each loss, not for each unit.
class UnitLosses {
 public:
  // Alpha and beta must not both be 1.
  UnitLosses(const ChannelOptions& options, UniformSource uniform);

  // Whether the next unit is lost.
  bool next_is_lost();

  // Advances the state by unit times without transmissions.
  void pass(std::int64_t units);

 private:
  void enter(bool bad);
  std::int64_t failures_before_success(double probability);

  ChannelOptions options_;
  UniformSource uniform_;
  bool bad_ = false;
  std::int64_t staying_ = 0;      // units until the state changes
  std::int64_t until_loss_ = 0;   // units before the next loss, if the state lasts so long
};

}  // namespace clift
