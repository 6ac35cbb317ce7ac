#include "core/online/gf256.h"

namespace clift {

namespace {

constexpr unsigned polynomial = 0x11d;

}  // namespace

const Gf256& Gf256::field() {
  static const Gf256 tables;
  return tables;
}

Gf256::Gf256() {
  for (unsigned a = 1; a < 256; ++a) {
    unsigned power = a;  // a times x^bit
    for (unsigned bit = 1; bit < 256; bit <<= 1) {
      // The products with b of the highest bit `bit` follow from those with lower bits.
      for (unsigned b = 0; b < bit; ++b) {
        products_[a][bit + b] = static_cast<std::uint8_t>(products_[a][b] ^ power);
      }
      power <<= 1;
      if (power > 255) power ^= polynomial;
    }
    for (unsigned b = 1; b < 256; ++b) {
      if (products_[a][b] == 1) inverses_[a] = static_cast<std::uint8_t>(b);
    }
  }
}

}  // namespace clift
