#include "emulate/frame.h"

#include <algorithm>
#include <cstring>

#include "emulate/ip_packet.h"

namespace clift {

namespace {

// `struct virtio_net_hdr`: <linux/virtio_net.h> is no C++.
struct VirtioHeader {
  std::uint8_t flags, type;
  std::uint16_t header_bytes, segment_bytes, checksum_start, checksum_offset;
};
constexpr int type_tcp4 = 1, type_tcp6 = 4, type_ecn = 0x80;

constexpr std::size_t ip4_header = 20, ip6_header = 40, tcp_header = 20;
constexpr std::uint8_t tcp = 6, fin = 1, psh = 8, cwr = 128;

std::uint16_t u16(const std::uint8_t* at) { return static_cast<std::uint16_t>(at[0] << 8 | at[1]); }

void put16(std::uint8_t* at, std::size_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

void put32(std::uint8_t* at, std::uint32_t value) {
  put16(at, value >> 16);
  put16(at + 2, value & 0xffff);
}

// Ones' complement sum of 16-bit words (RFC 1071) of an even number of bytes.
std::uint32_t sum_of_words(const std::uint8_t* at, std::size_t size, std::uint32_t sum) {
  for (std::size_t i = 0; i < size; i += 2) sum += u16(at + i);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

// Writes the fields of an IP header that depend on the packet's place and size; returns the sum of the pseudo-header.
std::uint32_t adapt_ip(std::uint8_t* ip, std::size_t transport, std::size_t size, std::size_t place) {
  const auto tcp_bytes = static_cast<std::uint32_t>(size - transport);
  if (ip[0] >> 4 == 4) {
    put16(ip + 2, size);
    put16(ip + 4, u16(ip + 4) + place);
    put16(ip + 10, 0);
    put16(ip + 10, ~sum_of_words(ip, transport, 0));
    return sum_of_words(ip + 12, 8, tcp + tcp_bytes);
  }
  put16(ip + 4, size - ip6_header);
  return sum_of_words(ip + 8, 32, tcp + tcp_bytes);
}

// Bytes of the IP and TCP headers.
std::size_t headers_of(const VirtioHeader& header, ByteView packet) {
  return header.checksum_start + std::size_t{packet.data[header.checksum_start + 12]} / 16 * 4;
}

bool is_several_segments(const VirtioHeader& header, ByteView packet) {
  const int type = header.type & ~type_ecn;
  if (type != type_tcp4 && type != type_tcp6) return false;
  const std::size_t least = type == type_tcp4 ? ip4_header : ip6_header;
  const std::size_t whole_headers = header.checksum_start + tcp_header;
  return header.segment_bytes > 0 && header.checksum_start >= least && header.checksum_start % 2 == 0 &&
         packet.size >= whole_headers && headers_of(header, packet) >= whole_headers &&
         packet.size > headers_of(header, packet);
}

}  // namespace

ByteView packet_in(const Frame& frame) {
  return {frame.data() + sizeof(VirtioHeader), frame.size() - sizeof(VirtioHeader)};
}

void mark(Frame& frame) { set_ce(frame.data() + sizeof(VirtioHeader)); }

void cut(ByteView read, std::vector<Frame>& frames) {
  VirtioHeader header{};
  if (read.size < sizeof header) return;
  std::memcpy(&header, read.data, sizeof header);
  const ByteView packet(read.data + sizeof header, read.size - sizeof header);
  if (!is_several_segments(header, packet)) {
    frames.emplace_back(read.data, read.data + read.size);
    return;
  }
  const std::size_t transport = header.checksum_start;
  const std::size_t headers = headers_of(header, packet);
  const std::uint8_t* first = packet.data + transport;
  const std::uint32_t sequence = std::uint32_t{u16(first + 4)} << 16 | u16(first + 6);
  const std::size_t segment_bytes = header.segment_bytes;
  header.type = 0;
  header.segment_bytes = 0;
  for (std::size_t at = headers, place = 0; at < packet.size; at += segment_bytes, ++place) {
    const std::size_t payload = std::min(segment_bytes, packet.size - at);
    Frame frame(sizeof header + headers + payload);
    std::memcpy(frame.data(), &header, sizeof header);
    std::uint8_t* ip = frame.data() + sizeof header;
    std::memcpy(ip, packet.data, headers);
    std::memcpy(ip + headers, packet.data + at, payload);
    std::uint8_t* own = ip + transport;
    put32(own + 4, sequence + static_cast<std::uint32_t>(at - headers));
    if (at + payload < packet.size) own[13] = static_cast<std::uint8_t>(own[13] & ~(fin | psh));
    if (place > 0) own[13] = static_cast<std::uint8_t>(own[13] & ~cwr);
    put16(own + 16, adapt_ip(ip, transport, headers + payload, place));
    frames.push_back(std::move(frame));
  }
}

}  // namespace clift
