// Parses numbers in words of a script or of a command line.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/time.h"

namespace clift {

// The number that the whole word represents, if it lies between the bounds.
template <class Number>
std::optional<Number> number_in(std::string_view word, Number least, Number most) {
  Number number{};
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  const bool is_number = read.ec == std::errc{} && read.ptr == end && std::isfinite(number);
  return is_number && number >= least && number <= most ? std::optional<Number>(number) : std::nullopt;
}

// The time that a number of seconds represents: exact for decimals without an exponent, which a double is not. A finer
// one is rounded.
std::optional<Nanoseconds> nanoseconds_in(std::string_view word);

}  // namespace clift
