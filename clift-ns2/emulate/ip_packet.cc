#include "emulate/ip_packet.h"

#include <algorithm>
#include <tuple>

namespace clift {

namespace {

constexpr std::uint8_t hop_by_hop = 0, igmp = 2, tcp = 6, udp = 17, icmp6 = 58;
constexpr std::size_t ip4_header = 20, ip6_header = 40, tcp_header = 20, udp_header = 8;

std::uint16_t u16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }
std::uint32_t u32(const std::uint8_t* at) { return std::uint32_t{u16(at)} << 16 | u16(at + 2); }

// Fields of an IP header, and its `payload`.
struct Network {
  IpPacket packet;
  const std::uint8_t* payload;
  std::size_t payload_bytes;
  bool first_fragment;
};

std::optional<Network> network_of(ByteView bytes) {
  if (bytes.size < ip4_header) return std::nullopt;
  const std::uint8_t* at = bytes.data;
  Network found{};
  found.packet.version = at[0] >> 4;
  if (found.packet.version == 4) {
    const std::size_t header = std::size_t{at[0] & 0xfu} * 4, total = u16(at + 2);
    if (header < ip4_header || total < header || bytes.size < total) return std::nullopt;
    found.packet.protocol = at[9];
    std::copy(at + 12, at + 16, found.packet.from.address.begin() + 12);
    std::copy(at + 16, at + 20, found.packet.to.address.begin() + 12);
    found.payload = at + header;
    found.payload_bytes = total - header;
    found.first_fragment = (u16(at + 6) & 0x1fff) == 0;
    return found;
  }
  if (found.packet.version != 6 || bytes.size < ip6_header) return std::nullopt;
  const std::size_t payload = u16(at + 4);
  if (bytes.size < ip6_header + payload) return std::nullopt;
  found.packet.protocol = at[6];
  std::copy(at + 8, at + 24, found.packet.from.address.begin());
  std::copy(at + 24, at + 40, found.packet.to.address.begin());
  found.payload = at + ip6_header;
  found.payload_bytes = payload;
  found.first_fragment = true;
  return found;
}

}  // namespace

bool Endpoint::operator<(const Endpoint& other) const {
  return std::tie(address, port) < std::tie(other.address, other.port);
}

std::optional<IpPacket> parsed(ByteView bytes) {
  auto network = network_of(bytes);
  if (!network) return std::nullopt;
  IpPacket& packet = network->packet;
  if (!network->first_fragment) return packet;
  const std::uint8_t* at = network->payload;
  const std::size_t size = network->payload_bytes;
  const bool has_ports =
      (packet.protocol == tcp && size >= tcp_header) || (packet.protocol == udp && size >= udp_header);
  if (!has_ports) return packet;
  packet.from.port = u16(at);
  packet.to.port = u16(at + 2);
  if (packet.protocol == udp) return packet;
  const std::size_t header = std::size_t{at[12]} / 16 * 4;
  if (header < tcp_header || header > size) return packet;
  const std::uint8_t flags = at[13];
  packet.tcp = {u32(at + 4), u32(at + 8), (flags & 2) != 0, (flags & 16) != 0, size - header};
  return packet;
}

Ecn ecn_of(ByteView bytes) {
  const auto network = network_of(bytes);
  if (!network) return Ecn::not_ect;
  // The type of service is the second byte in IPv4. In IPv6 the traffic class begins in the middle of the first byte.
  const int shift = network->packet.version == 4 ? 0 : 4;
  return static_cast<Ecn>(bytes.data[1] >> shift & 3);
}

void set_ce(std::uint8_t* packet) {
  if (packet[0] >> 4 == 6) {
    packet[1] |= 3 << 4;
    return;
  }
  const std::uint16_t old_word = u16(packet);
  packet[1] |= 3;
  // Ones' complement arithmetic: the old word is taken out of the sum, the new one is added.
  std::uint32_t sum = (~u16(packet + 10) & 0xffffu) + (~old_word & 0xffffu) + u16(packet);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  packet[10] = static_cast<std::uint8_t>(~sum >> 8);
  packet[11] = static_cast<std::uint8_t>(~sum);
}

bool is_housekeeping(ByteView bytes) {
  const auto network = network_of(bytes);
  if (!network) return false;
  if (network->packet.version == 4) return network->packet.protocol == igmp;
  const std::uint8_t* at = network->payload;
  std::size_t left = network->payload_bytes;
  std::uint8_t protocol = network->packet.protocol;
  if (protocol == hop_by_hop && left >= 8) {
    const std::size_t header = (std::size_t{at[1]} + 1) * 8;
    if (header > left) return false;
    protocol = at[0];
    at += header;
    left -= header;
  }
  // Multicast listener messages, router and neighbour discovery.
  return protocol == icmp6 && left > 0 && ((at[0] >= 130 && at[0] <= 137) || at[0] == 143);
}

}  // namespace clift
