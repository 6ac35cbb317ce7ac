// Ends the simulator after a user's mistake: one line on stderr, exit status 2.
#pragma once

#include <string>

namespace clift {

[[noreturn]] void fail(const std::string& line);

// "NAME is VALUE; allowed is ALLOWED".
[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& allowed);

// Whether a number lies between bounds. In ns-2, ordinary comparisons with nan end the program.
bool lies_within(double value, double least, double most);

// A number as messages show it.
std::string shown(double value);

}  // namespace clift
