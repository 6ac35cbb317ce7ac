#include "core/online/unit_losses.h"

#include <cmath>
#include <limits>
#include <utility>

namespace clift {

namespace {

constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

}  // namespace

UnitLosses::UnitLosses(const ChannelOptions& options, UniformSource uniform)
    : options_(options), uniform_(std::move(uniform)) {
  const double leave_good = 1.0 - options.alpha, leave_bad = 1.0 - options.beta;
  enter(uniform_() * (leave_good + leave_bad) < leave_good);
}

bool UnitLosses::next_is_lost() {
  if (staying_ == 0) enter(!bad_);
  if (staying_ != forever) --staying_;
  if (until_loss_ > 0) {
    if (until_loss_ != forever) --until_loss_;
    return false;
  }
  until_loss_ = failures_before_success(bad_ ? options_.error_bad : options_.error_good);
  return true;
}

void UnitLosses::pass(std::int64_t units) {
  while (units > staying_) {
    units -= staying_;
    enter(!bad_);
  }
  if (staying_ != forever) staying_ -= units;
  // The distance to the next loss has no memory, so the rest of it is still valid.
}

void UnitLosses::enter(bool bad) {
  bad_ = bad;
  const std::int64_t more = failures_before_success(1.0 - (bad ? options_.beta : options_.alpha));
  staying_ = more == forever ? forever : more + 1;
  until_loss_ = failures_before_success(bad ? options_.error_bad : options_.error_good);
}

// Geometric law: the number of failures before the first success.
std::int64_t UnitLosses::failures_before_success(double probability) {
  if (probability <= 0.0) return forever;
  if (probability >= 1.0) return 0;
  const double failures = std::floor(std::log(uniform_()) / std::log1p(-probability));
  return failures < 9e18 ? static_cast<std::int64_t>(failures) : forever;
}

}  // namespace clift
