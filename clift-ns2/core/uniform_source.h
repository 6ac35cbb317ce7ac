// Source of random numbers for the processes of the core.
#pragma once

#include <functional>

namespace clift {

// Draws a number from the open interval (0, 1).
using UniformSource = std::function<double()>;

}  // namespace clift
