// Filling the placeholders of a message.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

namespace clift {

// Returns `text` with each `{name}` replaced by its value.
std::string filled(std::string text, std::initializer_list<std::pair<const char*, std::string>> values);

}  // namespace clift
