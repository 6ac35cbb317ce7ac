#include "core/text.h"

namespace clift {

std::string filled(std::string text, std::initializer_list<std::pair<const char*, std::string>> values) {
  for (const auto& [name, value] : values) {
    const std::string placeholder = "{" + std::string(name) + "}";
    for (std::size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + value.size())) {
      text.replace(at, placeholder.size(), value);
    }
  }
  return text;
}

std::string seconds_text(Nanoseconds time_ns) {
  constexpr std::uint64_t second_ns = 1'000'000'000;
  const auto bits = static_cast<std::uint64_t>(time_ns);
  const std::uint64_t size_ns = time_ns < 0 ? -bits : bits;
  std::string text = std::to_string(size_ns / second_ns);
  if (const std::uint64_t rest_ns = size_ns % second_ns; rest_ns > 0) {
    text += '.' + std::to_string(second_ns + rest_ns).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return time_ns < 0 ? '-' + text : text;
}

}  // namespace clift
