// The receiver of the sliding-window code by its definition: all equations are solved from scratch after each arrival.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/online/tinymt32.h"

namespace clift {

// Bit by bit: the remainder modulo x^8 + x^4 + x^3 + x^2 + 1.
inline unsigned bitwise_product(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int bit = 0; bit < 8; ++bit) {
    if ((b >> bit & 1) != 0) result ^= a << bit;
  }
  for (int bit = 14; bit > 7; --bit) {
    if ((result >> bit & 1) != 0) result ^= 0x11dU << (bit - 8);
  }
  return result;
}

// From a table of all products.
inline unsigned slow_product(unsigned a, unsigned b) {
  static const std::vector<unsigned> products = [] {
    std::vector<unsigned> all;
    for (unsigned pair = 0; pair < 1U << 16; ++pair) all.push_back(bitwise_product(pair >> 8, pair & 0xff));
    return all;
  }();
  return products[a << 8 | b];
}

inline unsigned slow_inverse(unsigned a) {
  unsigned b = 1;
  while (slow_product(a, b) != 1) ++b;
  return b;
}

using SlowEquation = std::map<std::int64_t, unsigned>;  // coefficients other than 0, by unit

// The first columns lead.
inline std::vector<SlowEquation> reduced(std::vector<SlowEquation> equations) {
  std::vector<SlowEquation> solved;
  while (!equations.empty()) {
    SlowEquation next = equations.back();
    equations.pop_back();
    if (next.empty()) continue;
    const auto [column, factor] = *next.begin();
    const unsigned inverse = slow_inverse(factor);
    for (auto& [unit, value] : next) value = slow_product(value, inverse);
    const auto eliminate = [&, lead = column](SlowEquation& other) {
      const auto found = other.find(lead);
      if (found == other.end()) return;
      const unsigned multiple = found->second;
      for (const auto& [unit, value] : next) {
        if ((other[unit] ^= slow_product(multiple, value)) == 0) other.erase(unit);
      }
    };
    for (SlowEquation& other : equations) eliminate(other);
    for (SlowEquation& other : solved) eliminate(other);
    solved.push_back(next);
  }
  return solved;
}

class SlowWindow {
 public:
  explicit SlowWindow(std::int64_t window) : window_(window) {}

  std::set<std::int64_t> known;
  std::set<std::int64_t> left;

  void take_source(std::int64_t unit) { take({{unit, 1}}, unit); }

  std::int64_t first_unknown() const {
    std::int64_t unit = 0;
    while (known.count(unit) > 0) ++unit;
    return unit;
  }

  std::int64_t rank() const { return rank_; }

  void take_repair(std::int64_t repair, std::int64_t first, std::int64_t newest) {
    TinyMt32 generator(static_cast<std::uint32_t>(repair % 1024));
    SlowEquation equation;
    for (std::int64_t unit = first; unit <= newest;) {
      if (const unsigned byte = generator.next() % 256; byte != 0) equation[unit++] = byte;
    }
    take(equation, newest);
  }

 private:
  void take(const SlowEquation& equation, std::int64_t newest) {
    newest_ = std::max(newest_, newest);
    for (std::int64_t unit = 0; unit <= newest_ - 2 * window_; ++unit) {
      if (known.count(unit) == 0) left.insert(unit);
    }
    if (equation.begin()->first <= newest_ - 2 * window_) return;
    taken_.push_back(equation);
    const std::vector<SlowEquation> equations = reduced(open_equations());
    rank_ = static_cast<std::int64_t>(equations.size());
    for (const SlowEquation& one : equations) {
      if (one.size() == 1 && left.count(one.begin()->first) == 0 && known.insert(one.begin()->first).second) --rank_;
    }
    // Equations whose units are all known say no more.
    const auto is_known = [this](const auto& term) { return known.count(term.first) > 0; };
    const auto is_used_up = [&](const SlowEquation& one) { return std::all_of(one.begin(), one.end(), is_known); };
    taken_.erase(std::remove_if(taken_.begin(), taken_.end(), is_used_up), taken_.end());
  }

  // Without the units that are known.
  std::vector<SlowEquation> open_equations() const {
    std::vector<SlowEquation> open;
    for (const SlowEquation& one : taken_) {
      open.emplace_back();
      for (const auto& [unit, value] : one) {
        if (known.count(unit) == 0) open.back().emplace(unit, value);
      }
    }
    return open;
  }

  std::int64_t window_;
  std::int64_t newest_ = -1;
  std::int64_t rank_ = 0;
  std::vector<SlowEquation> taken_;
};

}  // namespace clift
