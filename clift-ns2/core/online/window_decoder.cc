#include "core/online/window_decoder.h"

#include <algorithm>
#include <utility>

#include "core/online/gf256.h"
#include "core/online/tinymt32.h"

namespace clift {

namespace {

constexpr std::int64_t repair_keys = 1024;

// RFC 8681, section 3.6, density 15: the bytes of the generator that are not 0, from the oldest source unit on.
std::vector<std::uint8_t> coefficients(std::int64_t repair, std::int64_t count) {
  TinyMt32 generator(static_cast<std::uint32_t>(repair % repair_keys));
  std::vector<std::uint8_t> found;
  found.reserve(static_cast<std::size_t>(count));
  while (static_cast<std::int64_t>(found.size()) < count) {
    if (const auto byte = static_cast<std::uint8_t>(generator.next()); byte != 0) found.push_back(byte);
  }
  return found;
}

}  // namespace

WindowDecoder::WindowDecoder(std::int64_t window) : length_(2 * window) {
  std::size_t places = 1;
  while (places < static_cast<std::size_t>(length_)) places *= 2;
  equations_.resize(places);
  mask_ = places - 1;
}

const WindowDecoder::Outcome& WindowDecoder::take_source(std::int64_t unit) {
  clear_outcome();
  const bool is_new = unit > newest_;
  if (is_new) move_to(unit);
  if (is_new) {
    learn(unit);  // no equation has it
  } else if (std::binary_search(unknown_.begin(), unknown_.end(), unit)) {
    Equation equation(equations_.size());
    equation[place(unit)] = 1;
    add(std::move(equation));
  }
  return outcome_;
}

const WindowDecoder::Outcome& WindowDecoder::take_repair(std::int64_t repair, std::int64_t first, std::int64_t newest) {
  clear_outcome();
  if (newest > newest_) move_to(newest);
  if (unknown_.empty() || first < oldest()) return outcome_;
  const std::vector<std::uint8_t> factors = coefficients(repair, newest - first + 1);
  Equation equation(equations_.size());
  for (const std::int64_t unit : unknown_) {
    if (unit >= first && unit <= newest) equation[place(unit)] = factors[static_cast<std::size_t>(unit - first)];
  }
  add(std::move(equation));
  return outcome_;
}

std::int64_t WindowDecoder::rank() const {
  return std::count_if(unknown_.begin(), unknown_.end(),
                       [this](std::int64_t unit) { return !equations_[place(unit)].empty(); });
}

void WindowDecoder::clear_outcome() {
  outcome_.known.clear();
  outcome_.left.clear();
}

// Moves the window. An unknown unit that leaves it takes its equation with it; no other equation has the unit, which is
// the first of all unknowns.
void WindowDecoder::move_to(std::int64_t newest) {
  while (newest_ < newest) {
    unknown_.push_back(++newest_);
    if (unknown_.front() >= oldest()) continue;
    outcome_.left.push_back(unknown_.front());
    equations_[place(unknown_.front())].clear();
    unknown_.erase(unknown_.begin());
  }
}

// Adds an equation in unknowns, and finds the units that are determined now.
void WindowDecoder::add(Equation equation) {
  for (const std::int64_t unit : unknown_) {
    const std::uint8_t factor = equation[place(unit)];
    if (const Equation& other = equations_[place(unit)]; factor != 0 && !other.empty()) {
      add_multiple(equation, factor, other);
    }
  }
  const auto first = std::find_if(unknown_.begin(), unknown_.end(),
                                  [&](std::int64_t unit) { return equation[place(unit)] != 0; });
  if (first == unknown_.end()) return;
  const std::size_t column = place(*first);
  const auto& multiples = Gf256::field().multiples(Gf256::field().inverse(equation[column]));
  for (auto unit = first; unit != unknown_.end(); ++unit) equation[place(*unit)] = multiples[equation[place(*unit)]];

  std::vector<std::int64_t> determined;
  if (determines(equation, *first)) determined.push_back(*first);
  for (auto unit = unknown_.begin(); unit != first; ++unit) {
    Equation& other = equations_[place(*unit)];
    if (other.empty() || other[column] == 0) continue;
    add_multiple(other, other[column], equation);
    if (determines(other, *unit)) determined.push_back(*unit);
  }
  equations_[column] = std::move(equation);
  for (const std::int64_t unit : determined) learn(unit);
}

void WindowDecoder::add_multiple(Equation& equation, std::uint8_t factor, const Equation& other) const {
  const auto& multiples = Gf256::field().multiples(factor);
  std::uint8_t* to = equation.data();
  const std::uint8_t* from = other.data();
  for (const std::int64_t unit : unknown_) to[place(unit)] ^= multiples[from[place(unit)]];
}

// Whether an equation has no unknown but `unit`.
bool WindowDecoder::determines(const Equation& equation, std::int64_t unit) const {
  return std::none_of(unknown_.begin(), unknown_.end(), [&](std::int64_t other) {
    return other != unit && equation[place(other)] != 0;
  });
}

void WindowDecoder::learn(std::int64_t unit) {
  equations_[place(unit)].clear();
  unknown_.erase(std::lower_bound(unknown_.begin(), unknown_.end(), unit));
  outcome_.known.push_back(unit);
}

}  // namespace clift
