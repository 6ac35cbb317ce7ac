// FQ-CoDel's turns, by hand.
#include "core/aqm/fq_codel.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/aqm/offers.h"

namespace clift {

TEST(FqCoDel, ServesANewFlowBeforeOneThatHasHadItsQuantum) {
  FqCoDel queue{QueueLimits(), FqCoDelOptions()};
  std::string flows;
  const auto dequeue = [&](int n) {
    QueuedPacket packet;
    for (int i = 0; i < n; ++i) flows += queue.dequeue(0, packet) ? (packet.flow_hash == 1 ? 'a' : 'b') : '-';
  };
  for (int i = 0; i < 5; ++i) queue.enqueue(packet_of(0, 1500, Ecn::not_ect, 1));
  dequeue(1);  // 14 of 1514 credits are left: a packet more
  dequeue(1);
  for (int i = 0; i < 2; ++i) queue.enqueue(packet_of(0, 1500, Ecn::not_ect, 2));
  dequeue(6);  // b has two as well; then they take turns, but b is empty
  EXPECT_EQ(flows, "aabbaaa-");
}

TEST(FqCoDel, DropsAtMost64PacketsOfTheLongestFlowWhenFull) {
  QueueLimits limits;
  limits.packets = 200;
  FqCoDel queue(limits, FqCoDelOptions());
  for (int i = 0; i < 20; ++i) queue.enqueue(packet_of(0, 1500, Ecn::not_ect, 2));
  for (int i = 0; i < 180; ++i) queue.enqueue(packet_of(i, 1500, Ecn::not_ect, 1));
  EXPECT_TRUE(queue.dropped().empty());
  queue.enqueue(packet_of(500, 1500, Ecn::not_ect, 2));
  ASSERT_EQ(queue.dropped().size(), 64U);
  EXPECT_EQ(queue.dropped().back().packet.flow_hash, 1U);
  EXPECT_EQ(queue.dropped().back().packet.arrival_ns, 63);
  EXPECT_EQ(queue.load().packets, 137);
}

}  // namespace clift
