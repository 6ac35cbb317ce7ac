// The random generator TinyMT32 of RFC 8682.
#pragma once

#include <array>
#include <cstdint>

namespace clift {

class TinyMt32 {
 public:
  explicit TinyMt32(std::uint32_t seed) : state_{seed, mat1, mat2, tempering} {
    for (std::uint32_t i = 1; i < 8; ++i) {
      const std::uint32_t before = state_[(i - 1) % 4];
      state_[i % 4] ^= i + 1812433253U * (before ^ (before >> 30));
    }
    for (int i = 0; i < 8; ++i) step();
  }

  std::uint32_t next() {
    step();
    const std::uint32_t sum = state_[0] + (state_[2] >> 8);
    return state_[3] ^ sum ^ ((sum & 1) != 0 ? tempering : 0);
  }

 private:
  static constexpr std::uint32_t mat1 = 0x8f7011eeU;
  static constexpr std::uint32_t mat2 = 0xfc78ff1fU;
  static constexpr std::uint32_t tempering = 0x3793fdffU;

  void step() {
    std::uint32_t x = (state_[0] & 0x7fffffffU) ^ state_[1] ^ state_[2];
    std::uint32_t y = state_[3];
    x ^= x << 1;
    y ^= (y >> 1) ^ x;
    const bool odd = (y & 1) != 0;
    state_ = {state_[1], state_[2] ^ (odd ? mat1 : 0), x ^ (y << 10) ^ (odd ? mat2 : 0), y};
  }

  std::array<std::uint32_t, 4> state_;
};

}  // namespace clift
