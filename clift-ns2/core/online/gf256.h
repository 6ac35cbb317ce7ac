// Arithmetic in GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1, the field of RFC 8681. Addition is XOR.
#pragma once

#include <array>
#include <cstdint>

namespace clift {

class Gf256 {
 public:
  // The tables are computed once.
  static const Gf256& field();

  std::uint8_t product(std::uint8_t a, std::uint8_t b) const { return products_[a][b]; }

  // All multiples of an element, by the other factor.
  const std::array<std::uint8_t, 256>& multiples(std::uint8_t a) const { return products_[a]; }

  // `a` must not be 0.
  std::uint8_t inverse(std::uint8_t a) const { return inverses_[a]; }

 private:
  Gf256();

  std::array<std::array<std::uint8_t, 256>, 256> products_{};
  std::array<std::uint8_t, 256> inverses_{};
};

}  // namespace clift
