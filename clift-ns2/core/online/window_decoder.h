// Receiver of the sliding-window code of RFC 8681 over GF(256): linear equations in the source units of a window.
#pragma once

#include <cstdint>
#include <vector>

namespace clift {

// Source units and repair units are numbered from 0. The receiver's window has 2 W source units, up to the newest that
// the receiver has heard of.
class WindowDecoder {
 public:
  // Source units that one arrival decides.
  struct Outcome {
    std::vector<std::int64_t> known;  // received or recovered
    std::vector<std::int64_t> left;   // unknown, and no longer in the window
  };

  // A repair unit covers at most `window` source units, W.
  explicit WindowDecoder(std::int64_t window);

  // The outcome is valid until the next call.
  const Outcome& take_source(std::int64_t unit);

  // The repair unit covers the source units from `first` to `newest`.
  const Outcome& take_repair(std::int64_t repair, std::int64_t first, std::int64_t newest);

  // First source unit that is neither received nor recovered.
  std::int64_t first_unknown() const { return unknown_.empty() ? newest_ + 1 : unknown_.front(); }

  // Independent equations in the unknown units of the window.
  std::int64_t rank() const;

 private:
  // Coefficients by place; empty for no equation. Only unknown units have coefficients other than 0.
  using Equation = std::vector<std::uint8_t>;

  std::size_t place(std::int64_t unit) const { return static_cast<std::size_t>(unit) & mask_; }
  std::int64_t oldest() const { return newest_ - length_ + 1; }
  void clear_outcome();
  void move_to(std::int64_t newest);
  void add(Equation equation);
  void add_multiple(Equation& equation, std::uint8_t factor, const Equation& other) const;
  bool determines(const Equation& equation, std::int64_t unit) const;
  void learn(std::int64_t unit);

  const std::int64_t length_;           // of the receiver's window
  std::int64_t newest_ = -1;
  std::vector<std::int64_t> unknown_;   // unknown units of the window, in order
  std::vector<Equation> equations_;     // in reduced echelon form, each at the place of its first unknown
  std::size_t mask_;                    // the number of places is a power of two
  Outcome outcome_;
};

}  // namespace clift
