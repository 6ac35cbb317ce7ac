// A millisecond, for tests that tell times in ms.
#pragma once

#include "core/time.h"

namespace clift {

inline constexpr Nanoseconds ms = 1'000'000;

}  // namespace clift
