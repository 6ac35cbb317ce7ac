// Source of random numbers for the processes of the core.
#pragma once

namespace clift {

// Numbers from the open interval (0, 1).
class UniformSource {
 public:
  virtual ~UniformSource() = default;
  virtual double next() = 0;
};

}  // namespace clift
