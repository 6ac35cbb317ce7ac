// Source of random numbers for the processes of the core.
#pragma once

#include <cstdint>
#include <functional>

namespace clift {

// Draws a number from the open interval (0, 1).
using UniformSource = std::function<double()>;

// The same numbers for the same seed.
UniformSource seeded_uniform(std::uint64_t seed);

}  // namespace clift
