// The header fields of an IP packet that records and queues need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/aqm/packet.h"
#include "emulate/byte_view.h"

namespace clift {

struct Endpoint {
  std::array<std::uint8_t, 16> address{};  // IPv4 in the last four bytes
  std::uint16_t port = 0;                  // 0 for protocols without ports

  bool operator<(const Endpoint& other) const;
};

struct IpPacket {
  int version;  // 4 or 6
  std::uint8_t protocol;
  Endpoint from, to;

  struct Tcp {
    std::uint32_t sequence, acknowledged;
    bool syn, ack;
    std::size_t payload_bytes;
  };
  std::optional<Tcp> tcp;
};

// Reads the headers of an IPv4 or IPv6 packet; nothing for other or truncated packets. Later fragments, and protocols
// behind IPv6 extension headers, have no ports here.
std::optional<IpPacket> parsed(ByteView bytes);

// ECN codepoint of an IPv4 or IPv6 packet (RFC 3168, sections 5 and 5.3); `not_ect` for other or truncated packets.
Ecn ecn_of(ByteView bytes);

// Sets the codepoint of a packet that has one to CE. The checksum of an IPv4 header follows (RFC 1624, equation 3).
void set_ce(std::uint8_t* packet);

// Whether this is a kernel's own message about the link (ICMPv6 neighbour, router and listener messages, IGMP), not
// traffic of a program.
bool is_housekeeping(ByteView bytes);

}  // namespace clift
