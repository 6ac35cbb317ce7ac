// How the simulator ends when a user has made a mistake: one line on stderr, exit status 2.
#pragma once

#include <string>

namespace clift {

[[noreturn]] void fail(const std::string& line);

// A number as messages show it.
std::string shown(double value);

}  // namespace clift
