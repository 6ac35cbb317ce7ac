// A fault in a file that the user named stops the run: `FILE:PLACE: reason`, or `FILE: reason`.
#pragma once

#include <stdexcept>
#include <string>

namespace clift {

class InputError : public std::runtime_error {
 public:
  InputError(const std::string& path, const std::string& reason) : std::runtime_error(path + ": " + reason) {}

  // `row` counts from 1.
  InputError(const std::string& path, std::size_t row, const std::string& reason)
      : std::runtime_error(path + ":row " + std::to_string(row) + ": " + reason) {}
};

}  // namespace clift
