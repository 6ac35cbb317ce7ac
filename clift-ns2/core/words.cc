#include "core/words.h"

#include <algorithm>
#include <string>

namespace clift {

std::optional<Nanoseconds> nanoseconds_in(std::string_view word) {
  constexpr std::size_t most_decimals = 9;
  const std::size_t point = std::min(word.find('.'), word.size());
  const std::string_view decimals = word.substr(std::min(point + 1, word.size()));
  std::string digits(word.substr(0, point));
  if (!digits.empty() && decimals.size() <= most_decimals) {
    digits.append(decimals).append(most_decimals - decimals.size(), '0');
    const bool is_plain = digits.find_first_not_of("0123456789") == std::string::npos;
    const auto time_ns = number_in<Nanoseconds>(digits, 0, never);
    if (is_plain && time_ns) return time_ns;
  }
  constexpr double farthest_s = 9e9;
  const auto seconds = number_in(word, -farthest_s, farthest_s);
  return seconds ? std::optional<Nanoseconds>(std::llround(*seconds * 1e9)) : std::nullopt;
}

}  // namespace clift
