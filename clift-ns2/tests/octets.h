// Bytes of packets that tests write down, and flags of TCP.
#pragma once

#include <cstdint>
#include <vector>

namespace clift {

using Octets = std::vector<std::uint8_t>;

inline constexpr std::uint8_t fin = 1, syn = 2, psh = 8, ack = 16, cwr = 128;

inline void append(Octets& octets, std::uint64_t value, int width) {
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) octets.push_back(static_cast<std::uint8_t>(value >> shift));
}

}  // namespace clift
