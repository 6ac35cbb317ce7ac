// A file descriptor that closes itself, and the exception for failed system calls.
#pragma once

#include <unistd.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace clift {

// A right or a device that this machine lacks: one line for the user.
class SystemError : public std::runtime_error {
 public:
  // `what` has failed for the reason in errno; `help` tells the remedy, if any.
  explicit SystemError(const std::string& what, const std::string& help = "");
};

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int get() const { return number_; }

 private:
  int number_ = -1;
};

// Returns `result` of a system call, or throws when it is negative.
int checked(int result, const char* what);

}  // namespace clift
