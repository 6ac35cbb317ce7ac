// Real packets' bytes, written down by hand after RFC 791, 8200, 9293 and 768, and how records number them.
#include "emulate/flow_table.h"

#include <gtest/gtest.h>

#include "tests/octets.h"

namespace clift {
namespace {

using schema::PacketRecord;

Octets ip4(std::uint8_t protocol, const Octets& payload, bool forward, std::uint16_t fragment = 0) {
  Octets bytes{0x45, 0};
  append(bytes, 20 + payload.size(), 2);
  append(bytes, 7, 2);
  append(bytes, fragment, 2);
  bytes.insert(bytes.end(), {64, protocol, 0, 0});
  append(bytes, forward ? 0x0a000001 : 0x0a000002, 4);
  append(bytes, forward ? 0x0a000002 : 0x0a000001, 4);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

Octets ip6(std::uint8_t protocol, const Octets& payload) {
  Octets bytes{0x60, 0, 0, 0};
  append(bytes, payload.size(), 2);
  bytes.insert(bytes.end(), {protocol, 64});
  for (const int last : {1, 2}) {
    bytes.insert(bytes.end(), {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    bytes.push_back(static_cast<std::uint8_t>(last));
  }
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

struct NumberedSegment {
  std::uint32_t sequence;
  std::uint32_t acknowledged;
  std::uint8_t flags;
  std::size_t payload;
};

Octets tcp(const NumberedSegment& segment, bool forward = true, std::uint16_t port = 40'000) {
  Octets bytes;
  append(bytes, forward ? port : 5000, 2);
  append(bytes, forward ? 5000 : port, 2);
  append(bytes, segment.sequence, 4);
  append(bytes, segment.acknowledged, 4);
  bytes.push_back(8 << 4);  // 32 bytes: 12 of options
  bytes.push_back(segment.flags);
  bytes.resize(32 + segment.payload, 0);
  return bytes;
}

class RecordNumbers : public testing::Test {
 protected:
  PacketRecord of(const Octets& bytes, std::uint8_t direction = 0) {
    PacketRecord record{};
    table_.number(bytes, direction, record);
    return record;
  }

  PacketRecord sent(const NumberedSegment& segment) { return of(ip4(6, tcp(segment), true)); }
  PacketRecord answered(const NumberedSegment& segment) { return of(ip4(6, tcp(segment, false), false), 1); }

  FlowTable table_;
};

void expect(const PacketRecord& record, std::int64_t sequence, int transmission) {
  EXPECT_EQ(record.sequence, sequence);
  EXPECT_EQ(record.transmission, transmission);
}

TEST_F(RecordNumbers, SegmentsFromTheSynOn) {
  // A sequence number near its end, so that it wraps within the first segment.
  constexpr std::uint32_t first = 0xffffff00;
  expect(sent({first - 1, 0, syn, 0}), 0, 1);
  expect(sent({first - 1, 0, syn, 0}), 0, 2);
  expect(answered({900, first, syn | ack, 0}), 0, 1);
  expect(sent({first, 901, ack, 0}), 0, 0);
  expect(sent({first, 901, ack, 1448}), 1, 1);
  expect(sent({first + 1448, 901, ack, 1448}), 2, 1);
  expect(sent({first + 2896, 901, ack, 100}), 3, 1);
  expect(answered({901, first + 1448, ack, 0}), 1, 0);
  expect(answered({901, first + 2896, ack, 0}), 2, 0);
  expect(answered({901, first + 2900, ack, 0}), 2, 0);
  expect(sent({first + 1448, 901, ack, 1448}), 2, 2);
  expect(sent({first, 901, ack, 1448}), 1, 2);
  expect(sent({first + 1448, 901, ack, 1448}), 2, 3);
  expect(sent({first + 2996, 901, ack, 1448}), 4, 1);
  EXPECT_EQ(table_.flows(), 1U);
}

TEST_F(RecordNumbers, ANewConnectionOnOldPortsFromTheBeginning) {
  sent({1000, 0, syn, 0});
  sent({1001, 1, ack, 500});
  expect(sent({77'000, 0, syn, 0}), 0, 1);
  expect(sent({77'001, 1, ack, 500}), 1, 1);
}

TEST_F(RecordNumbers, AConnectionThatWasThereBefore) {
  expect(sent({5000, 1, ack, 1448}), 1, 1);
  expect(sent({6448, 1, ack, 1448}), 2, 1);
}

TEST(SegmentNumbers, OfALongTransferNeedBoundedMemory) {
  // Four times round the sequence numbers; a window of 2^30 bytes holds 32,768 segments of 2^15 bytes.
  constexpr std::int64_t segments = std::int64_t{4} << 17, window = std::int64_t{1} << 15;
  SegmentNumbers numbers;
  const auto sequence_of = [](std::int64_t segment) { return static_cast<std::uint32_t>((segment - 1) << 15); };
  for (std::int64_t segment = 1; segment <= segments; ++segment) {
    ASSERT_EQ(numbers.sent(sequence_of(segment), window).segment, segment);
  }
  EXPECT_GE(numbers.remembered(), std::size_t{window});
  EXPECT_LE(numbers.remembered(), std::size_t{window} * 3 / 2);
  for (const std::int64_t back : {std::int64_t{0}, std::int64_t{1}, window / 2, window - 1}) {
    const auto again = numbers.sent(sequence_of(segments - back), window);
    EXPECT_EQ(again.segment, segments - back);
    EXPECT_EQ(again.transmission, 2);
    EXPECT_EQ(numbers.acknowledged(sequence_of(segments - back)), segments - back - 1);
  }
}

TEST_F(RecordNumbers, FlowsOfEveryKind) {
  const Octets datagram = {0, 53, 0, 99, 0, 8, 0, 0};
  EXPECT_EQ(of(ip4(6, tcp({1, 1, ack, 5}), true)).flow, 0);
  EXPECT_EQ(of(ip4(6, tcp({1, 1, ack, 5}, false), false), 1).flow, 0);
  EXPECT_EQ(of(ip4(6, tcp({1, 1, ack, 5}, true, 40'001), true)).flow, 1);
  EXPECT_EQ(of(ip4(17, datagram, true)).flow, 2);
  EXPECT_EQ(of(ip6(6, tcp({1, 1, ack, 5}))).flow, 3);
  EXPECT_EQ(of(ip6(17, datagram)).flow, 4);
  EXPECT_EQ(of(ip4(1, {8, 0, 0, 0}, true)).flow, 5);
  EXPECT_EQ(of(ip4(1, {0, 0, 0, 0}, false), 1).flow, 5);
  // A later fragment has no ports; truncated or unknown data are no packet.
  EXPECT_EQ(of(ip4(17, datagram, true, 100)).flow, 6);
  EXPECT_EQ(of({0x45, 0, 0, 99}).flow, 7);
  EXPECT_EQ(of({0x77}).flow, 7);
  EXPECT_EQ(of({}).flow, 7);
}

TEST(IpPacket, CutAnywhereIsReadWithoutFault) {
  for (const Octets& whole : {ip4(6, tcp({1, 1, ack, 5}), true), ip6(6, tcp({1, 1, ack, 5})), ip6(0, {58, 0, 0, 0, 0, 0, 0, 0, 143})}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Octets cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(parsed(cut).has_value());
      EXPECT_FALSE(is_housekeeping(cut));
    }
  }
}

TEST(IpPacket, KnowsWhatKernelsSayAboutTheirLink) {
  EXPECT_TRUE(is_housekeeping(ip6(0, {58, 0, 5, 2, 0, 0, 1, 0, 143, 0, 0, 0})));  // MLDv2 report, RFC 9777
  EXPECT_TRUE(is_housekeeping(ip6(58, {133, 0, 0, 0})));                          // router solicitation, RFC 4861
  EXPECT_TRUE(is_housekeeping(ip4(2, {0x16, 0, 0, 0}, true)));                    // IGMP, RFC 2236
  EXPECT_FALSE(is_housekeeping(ip6(58, {128, 0, 0, 0})));                         // echo request, RFC 4443
  EXPECT_FALSE(is_housekeeping(ip4(1, {8, 0, 0, 0}, true)));
  EXPECT_FALSE(is_housekeeping(ip6(6, tcp({1, 1, ack, 5}))));
}

}  // namespace
}  // namespace clift
