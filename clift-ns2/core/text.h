// Parts of messages.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "core/time.h"

namespace clift {

// Returns `text` with each `{name}` replaced by its value.
std::string filled(std::string text, std::initializer_list<std::pair<const char*, std::string>> values);

// A time in seconds, with as many decimals as it needs.
std::string seconds_text(Nanoseconds time_ns);

}  // namespace clift
