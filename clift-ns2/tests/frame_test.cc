// Frames with several TCP segments are cut into the packets that the kernel would have sent without offloads. Each
// expected packet is written from RFC 791, 8200 and 9293 on its own, with its whole checksum.
#include "emulate/frame.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "emulate/ip_packet.h"
#include "tests/octets.h"

namespace clift {
namespace {

constexpr int tcp4 = 1, tcp6 = 4;
constexpr std::size_t virtio_bytes = 10;

Octets joined(std::initializer_list<Octets> parts) {
  Octets all;
  for (const Octets& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// RFC 1071, word by word.
std::uint16_t checksum(Octets octets) {
  if (octets.size() % 2 == 1) octets.push_back(0);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < octets.size(); i += 2) sum += static_cast<std::uint64_t>(octets[i] << 8 | octets[i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

Octets addresses(int version) {
  Octets both;
  for (const int last : {1, 2}) {
    append(both, version == 4 ? 10 : 0xfd, 1);
    both.resize(both.size() + (version == 4 ? 2 : 14), 0);
    append(both, static_cast<std::uint64_t>(last), 1);
  }
  return both;
}

struct Segment {
  int version = 4;
  std::uint16_t id = 0;
  std::uint32_t sequence = 0;
  std::uint8_t flags = ack;
  Octets payload{};
};

// The whole packet, with 12 bytes of TCP options.
Octets packet(const Segment& segment) {
  Octets tcp;
  append(tcp, 40'000, 2);
  append(tcp, 5000, 2);
  append(tcp, segment.sequence, 4);
  append(tcp, 77, 4);
  tcp.insert(tcp.end(), {8 << 4, segment.flags, 1, 0, 0, 0, 0, 0});
  tcp.insert(tcp.end(), {1, 1, 8, 10, 0, 0, 0, 9, 0, 0, 0, 8});
  tcp.insert(tcp.end(), segment.payload.begin(), segment.payload.end());
  Octets pseudo = addresses(segment.version);
  append(pseudo, tcp.size(), 4);
  append(pseudo, 6, 4);
  const std::uint16_t sum = checksum(joined({pseudo, tcp}));
  tcp[16] = static_cast<std::uint8_t>(sum >> 8);
  tcp[17] = static_cast<std::uint8_t>(sum);
  Octets ip;
  if (segment.version == 4) {
    append(ip, 0x4500, 2);
    append(ip, 20 + tcp.size(), 2);
    append(ip, segment.id, 2);
    append(ip, 0x4000'4006, 4);
    append(ip, 0, 2);
    ip = joined({ip, addresses(4)});
    const std::uint16_t header_sum = checksum(ip);
    ip[10] = static_cast<std::uint8_t>(header_sum >> 8);
    ip[11] = static_cast<std::uint8_t>(header_sum);
  } else {
    append(ip, 0x6000'0000, 4);
    append(ip, tcp.size(), 2);
    append(ip, 0x0640, 2);
    ip = joined({ip, addresses(6)});
  }
  return joined({ip, tcp});
}

std::size_t transport_of(int version) { return version == 4 ? 20 : 40; }

// `struct virtio_net_hdr` in this machine's byte order.
Octets virtio(int flags, int type, std::uint16_t headers, std::uint16_t segment_bytes, std::uint16_t start) {
  Octets octets(virtio_bytes);
  octets[0] = static_cast<std::uint8_t>(flags);
  octets[1] = static_cast<std::uint8_t>(type);
  const std::uint16_t words[] = {headers, segment_bytes, start, 16};
  std::copy_n(reinterpret_cast<const std::uint8_t*>(words), sizeof words, octets.begin() + 2);
  return octets;
}

std::vector<Frame> cut_apart(const Octets& read) {
  std::vector<Frame> frames;
  cut(read, frames);
  return frames;
}

// The packet of a frame once the open checksum is completed, as a network card does it.
Octets completed(const Frame& frame, int version) {
  EXPECT_EQ(frame[0], 1);  // the checksum is open
  EXPECT_EQ(frame[1], 0);  // one packet
  Octets whole(frame.begin() + virtio_bytes, frame.end());
  const std::size_t start = transport_of(version);
  const std::uint16_t sum = checksum(Octets(whole.begin() + static_cast<std::ptrdiff_t>(start), whole.end()));
  whole[start + 16] = static_cast<std::uint8_t>(sum >> 8);
  whole[start + 17] = static_cast<std::uint8_t>(sum);
  return whole;
}

TEST(Frame, OfSeveralSegmentsIsCutAsTheKernelCuts) {
  std::mt19937 random(5);
  for (const int version : {4, 6}) {
    for (const std::size_t payload_bytes : {1449, 2896, 2897, 14'480, 60'001}) {
      SCOPED_TRACE(std::to_string(version) + ", " + std::to_string(payload_bytes));
      Segment whole{version, 0xfffe, 0xffff'f000, cwr | ack | psh | fin, Octets(payload_bytes)};
      for (std::uint8_t& octet : whole.payload) octet = static_cast<std::uint8_t>(random());
      const auto headers = static_cast<std::uint16_t>(transport_of(version) + 32);
      const int type = version == 4 ? tcp4 : tcp6;
      const auto start = static_cast<std::uint16_t>(transport_of(version));
      const auto frames = cut_apart(joined({virtio(1, type, headers, 1448, start), packet(whole)}));
      ASSERT_EQ(frames.size(), (payload_bytes + 1447) / 1448);
      for (std::size_t i = 0; i < frames.size(); ++i) {
        const std::size_t begin = 1448 * i, end = std::min(begin + 1448, payload_bytes);
        Segment own = whole;
        own.id = static_cast<std::uint16_t>(whole.id + i);
        own.sequence = whole.sequence + static_cast<std::uint32_t>(begin);
        own.flags = ack;
        if (i == 0) own.flags = cwr | ack;
        if (end == payload_bytes) own.flags = static_cast<std::uint8_t>(own.flags | psh | fin);
        own.payload = Octets(whole.payload.begin() + static_cast<std::ptrdiff_t>(begin),
                             whole.payload.begin() + static_cast<std::ptrdiff_t>(end));
        EXPECT_EQ(completed(frames[i], version), packet(own)) << "segment " << i;
      }
    }
  }
}

TEST(Frame, OfOnePacketStaysAsItIs) {
  const Octets one = joined({virtio(1, 0, 52, 0, 20), packet({4, 7, 1, ack, Octets(100)})});
  EXPECT_EQ(cut_apart(one), std::vector<Frame>{one});
  EXPECT_EQ(packet_in(one).size, one.size() - virtio_bytes);
}

// Only a program that writes frames of its own gets here: such a frame is carried as one packet.
TEST(Frame, ThatContradictsItselfStaysInOnePiece) {
  const Octets whole = packet({4, 7, 1, ack, Octets(4000)});
  for (const Octets& header : {virtio(1, tcp4, 52, 0, 20), virtio(1, tcp4, 52, 1448, 4040), virtio(1, tcp4, 52, 1448, 19),
                               virtio(1, tcp6, 52, 1448, 20), virtio(1, 3, 52, 1448, 20)}) {
    const Octets read = joined({header, whole});
    EXPECT_EQ(cut_apart(read), std::vector<Frame>{read});
  }
  for (const std::uint8_t data_offset : {0, 1, 4}) {
    Octets read = joined({virtio(1, tcp4, 52, 1448, 20), whole});
    read[virtio_bytes + 20 + 12] = static_cast<std::uint8_t>(data_offset << 4);
    EXPECT_EQ(cut_apart(read), std::vector<Frame>{read});
  }
  EXPECT_TRUE(cut_apart(Octets(virtio_bytes - 1)).empty());
  for (std::size_t size = virtio_bytes; size < virtio_bytes + 100; ++size) {
    Octets read = joined({virtio(1, tcp4, 52, 10, 20), whole});
    read.resize(size);
    cut_apart(read);
  }
}

Octets ip4_header(std::uint8_t tos, std::uint16_t id, std::uint16_t header_sum) {
  Octets octets;
  append(octets, 0x45, 1);
  append(octets, tos, 1);
  append(octets, 20, 2);
  append(octets, id, 2);
  append(octets, 0x4000'4006, 4);
  append(octets, header_sum, 2);
  return joined({octets, addresses(4)});
}

// By hand: the words 4502, 0014, 4000, 4006, 0a00, 0001, 0a00, 0002 and the identification add up to d91f and that. A mark
// of ECT(0) adds 1, one of ECT(1) 2.
TEST(Frame, MarksIPv4AndItsChecksum) {
  struct Case {
    std::uint8_t tos;
    std::uint16_t id, before, after;
  };
  for (const Case& one : {Case{2, 7, 0x26d9, 0x26d8}, Case{1, 7, 0x26da, 0x26d8}, Case{3, 7, 0x26d8, 0x26d8},
                          Case{2, 0x26df, 1, 0}, Case{2, 0x26e0, 0, 0xfffe}}) {
    const Octets header = ip4_header(one.tos, one.id, one.before);
    EXPECT_EQ(checksum(header), 0) << "worked by hand";
    EXPECT_EQ(ecn_of(header), static_cast<Ecn>(one.tos));
    Frame frame = joined({Octets(virtio_bytes), header});
    mark(frame);
    EXPECT_EQ(frame, joined({Octets(virtio_bytes), ip4_header(3, one.id, one.after)}));
  }
  EXPECT_EQ(ecn_of(ip4_header(0xb8, 7, 0)), Ecn::not_ect);
}

TEST(Frame, MarksTheTrafficClassOfIPv6) {
  Octets header{0x6b, 0xa5, 1, 2, 0, 0, 17, 64};  // class ba, that is ECT(0), and flow label 50102
  header = joined({header, addresses(6)});
  EXPECT_EQ(ecn_of(header), Ecn::ect_0);
  Frame frame = joined({Octets(virtio_bytes), header});
  mark(frame);
  header[1] = 0xb5;
  EXPECT_EQ(frame, joined({Octets(virtio_bytes), header}));
  EXPECT_EQ(ecn_of(header), Ecn::ce);
  header.pop_back();
  EXPECT_EQ(ecn_of(header), Ecn::not_ect) << "truncated";
}

}  // namespace
}  // namespace clift
