// What an IP packet says of itself, as far as records need it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace clift {

struct Endpoint {
  std::array<std::uint8_t, 16> address{};  // IPv4 in the last four bytes
  std::uint16_t port = 0;                  // 0 where the protocol has none

  bool operator<(const Endpoint& other) const;
};

struct IpPacket {
  int version;  // 4 or 6
  std::uint8_t protocol;
  Endpoint from, to;

  struct Tcp {
    std::uint32_t sequence, acknowledged;
    bool syn, fin, ack;
    std::size_t payload_bytes;
  };
  std::optional<Tcp> tcp;
};

// Reads the headers of an IPv4 or IPv6 packet; nothing when it is neither, or cut. Later fragments and what
// follows IPv6 extension headers count as protocols without ports.
std::optional<IpPacket> parsed(const std::vector<std::uint8_t>& bytes);

// Whether this is what a kernel says to the other about addresses and groups of their own link (ICMPv6 neighbour,
// router and listener messages, IGMP): no traffic of anybody's.
bool is_housekeeping(const std::vector<std::uint8_t>& bytes);

}  // namespace clift
