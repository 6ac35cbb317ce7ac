#include "emulate/descriptor.h"

#include <cerrno>
#include <cstring>

namespace clift {

SystemError::SystemError(const std::string& what, const std::string& help)
    : std::runtime_error(what + ": " + std::strerror(errno) + (help.empty() ? "" : "; " + help)) {}

int checked(int result, const char* what) {
  if (result < 0) throw SystemError(what);
  return result;
}

}  // namespace clift
