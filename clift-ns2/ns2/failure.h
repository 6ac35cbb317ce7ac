// How the simulator ends when a user has made a mistake: one line on stderr, exit status 2.
#pragma once

#include <string>

namespace clift {

[[noreturn]] void fail(const std::string& line);

}  // namespace clift
