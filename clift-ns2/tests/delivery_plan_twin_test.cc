// The delivery plan against its slow twin, over many random traces and packet sequences.
#include <gtest/gtest.h>

#include "core/delivery_plan.h"
#include "tests/rows.h"
#include "tests/slow_plan.h"

namespace clift {
namespace {

struct Packet {
  Nanoseconds arrival_ns;
  std::int64_t size_bytes;
};

// Packets in bursts and with pauses: some find a queue, some an empty one that rows have passed.
std::vector<Packet> random_packets(Random& random, Nanoseconds mean_gap_ns, std::int64_t max_bytes) {
  std::vector<Packet> packets;
  Nanoseconds arrival_ns = 0;
  for (std::int64_t left = draw(random, 1, 40); left > 0; --left) {
    if (chance(random, 0.6)) arrival_ns += draw(random, 0, 4 * mean_gap_ns);
    packets.push_back({arrival_ns, chance(random, 0.1) ? 0 : draw(random, 1, max_bytes)});
  }
  return packets;
}

// Sizes around that of the options, some far above, some of a single byte; none for rows that are alike.
Sizes random_sizes(Random& random, std::size_t count, std::int64_t lldu_bytes) {
  Sizes sizes;
  if (chance(random, 0.4)) return sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t most = chance(random, 0.1) ? 20 * lldu_bytes : 2 * lldu_bytes;
    sizes.push_back(static_cast<std::uint32_t>(chance(random, 0.1) ? 1 : draw(random, 1, most)));
  }
  return sizes;
}

// Rows 1 ns apart with outages between them, and before the first one.
Rows clumped_rows(Random& random, std::int64_t count, Nanoseconds max_gap_ns, Nanoseconds max_delay_ns) {
  Rows rows = random_rows(random, count, max_gap_ns, max_delay_ns);
  Nanoseconds tx_ns = draw(random, 0, 20 * max_gap_ns);
  for (LinkRow& row : rows) {
    row.tx_time_ns = tx_ns;
    tx_ns += chance(random, 0.9) ? 1 : draw(random, 1, 20 * max_gap_ns);
  }
  return rows;
}

// A length with time before the first row and behind the last one, or without; an offset, which may be behind the last.
void choose_length(Random& random, const Rows& rows, Nanoseconds max_gap_ns, PlanOptions& options) {
  const Nanoseconds first_ns = rows.front().tx_time_ns, behind_ns = rows.back().tx_time_ns + 1;
  options.begin_ns = chance(random, 0.3) ? first_ns : draw(random, 0, first_ns);
  const Nanoseconds outage_ns = chance(random, 0.2) ? 0 : draw(random, 0, 20 * max_gap_ns);
  options.length_ns = behind_ns + outage_ns - options.begin_ns;
  options.loop = chance(random, 0.7);
  options.offset_ns = 0;
  if (chance(random, 0.5)) options.offset_ns = draw(random, 0, options.length_ns - 1);
  if (outage_ns > 0 && chance(random, 0.2)) options.offset_ns = options.length_ns - draw(random, 1, outage_ns);
}

PlanOptions random_options(Random& random, const Rows& rows) {
  PlanOptions options;
  options.lldu_bytes = draw(random, 1, 1600);
  if (chance(random, 0.5)) options.packing = Packing::packed;
  options.loop = rows.size() > 1 && chance(random, 0.5);
  const Nanoseconds most_offset_ns = (options.loop ? 3 : 1) * rows.back().tx_time_ns;
  if (chance(random, 0.5)) options.offset_ns = draw(random, 0, most_offset_ns);
  options.in_order = chance(random, 0.5);
  if (chance(random, 0.5)) options.hold_ns = draw(random, 1, 500);
  return options;
}

class Comparison {
 public:
  explicit Comparison(std::uint64_t seed) : random_(seed) {}

  // One trace and one sequence of packets; gtest has a failure when the two plans part.
  void run(std::int64_t max_rows, std::int64_t max_rows_a_packet, bool has_length) {
    const Nanoseconds max_gap_ns = chance(random_, 0.5) ? 3 : 1000, max_delay_ns = chance(random_, 0.5) ? 20 : 5000;
    const std::int64_t n = draw(random_, 1, max_rows);
    const Rows rows = has_length && chance(random_, 0.5) ? clumped_rows(random_, n, max_gap_ns, max_delay_ns)
                                                         : random_rows(random_, n, max_gap_ns, max_delay_ns);
    PlanOptions options = random_options(random_, rows);
    if (has_length) choose_length(random_, rows, max_gap_ns, options);
    const auto packets = random_packets(random_, max_gap_ns, max_rows_a_packet * options.lldu_bytes);

    // No row comes later than `max_gap_ns` after the one before, at the seam of two repetitions too.
    std::int64_t most_rows = 2;
    const Sizes sizes = random_sizes(random_, rows.size(), options.lldu_bytes);
    std::int64_t whole_bytes = 0;
    for (const std::uint32_t size : sizes) whole_bytes += size;
    const auto count = static_cast<std::int64_t>(rows.size());
    for (const Packet& packet : packets) {
      most_rows += sizes.empty() ? packet.size_bytes / options.lldu_bytes + 2
                                 : (packet.size_bytes / whole_bytes + 2) * count;
    }
    const Nanoseconds rows_ns =
        has_length ? (most_rows / count + 2) * options.length_ns : most_rows * (max_gap_ns + 1);
    const Nanoseconds until_ns = packets.back().arrival_ns + rows_ns;

    const SizedRows sized(rows, sizes.empty() ? Sizes(rows.size(), 1) : sizes);
    DeliveryPlan plan(sizes.empty() ? view(rows) : sized.view(), options);
    SlowPlan twin(rows, sizes, options, until_ns);
    for (const Packet& packet : packets) {
      compare(planned(plan, packet.arrival_ns, packet.size_bytes), twin.plan(packet.arrival_ns, packet.size_bytes));
      compare(plan.use_until(packet.arrival_ns), twin.use_until(packet.arrival_ns));
      if (testing::Test::HasFailure()) return;
    }
    const Nanoseconds later_ns = draw(random_, packets.back().arrival_ns, until_ns);
    compare(plan.use_until(later_ns), twin.use_until(later_ns));
  }

  std::int64_t delivered = 0, lost = 0, unsettled = 0, stopped = 0, repeated = 0;

 private:
  void compare(const std::optional<Delivery>& packet, const std::optional<Delivery>& expected) {
    ASSERT_EQ(packet.has_value(), expected.has_value());
    if (!expected) {
      ++stopped;
      return;
    }
    ++(expected->fate == Fate::delivered ? delivered : expected->fate == Fate::lost ? lost : unsettled);
    EXPECT_EQ(packet->departure_ns, expected->departure_ns);
    EXPECT_EQ(packet->arrival_ns, expected->arrival_ns);
    EXPECT_EQ(packet->fate, expected->fate);
  }

  void compare(const RowUse& use, const RowUse& expected) {
    repeated += expected.repeats > 0;
    EXPECT_EQ(use.offered, expected.offered);
    EXPECT_EQ(use.used, expected.used);
    EXPECT_EQ(use.repeats, expected.repeats);
    EXPECT_EQ(use.offered_bytes, expected.offered_bytes);
    EXPECT_EQ(use.used_bytes, expected.used_bytes);
  }

  Random random_;
};

void expect_agreement(std::uint64_t seed, int traces, std::int64_t max_rows, std::int64_t max_rows_a_packet,
                      bool has_length = false) {
  Comparison comparison(seed);
  for (int trace = 0; trace < traces; ++trace) {
    SCOPED_TRACE(testing::Message() << "trace " << trace << " of seed " << seed);
    comparison.run(max_rows, max_rows_a_packet, has_length);
    if (testing::Test::HasFailure()) return;
  }
  // The comparison means something only where all of these happen.
  EXPECT_GT(comparison.delivered, traces);
  EXPECT_GT(comparison.lost, traces / 10);
  EXPECT_GT(comparison.unsettled, traces / 10);
  EXPECT_GT(comparison.stopped, traces / 10);
  EXPECT_GT(comparison.repeated, traces / 10);
}

TEST(DeliveryPlanTwin, AgreesOverShortTraces) { expect_agreement(3, 4000, 12, 3); }

TEST(DeliveryPlanTwin, AgreesWhenPacketsTakeManyRows) { expect_agreement(4, 1500, 60, 40); }

TEST(DeliveryPlanTwin, AgreesWhenPacketsTakeManyRepetitions) { expect_agreement(5, 500, 4, 60); }

TEST(DeliveryPlanTwin, AgreesOverTracesOfManyBlocks) { expect_agreement(6, 100, 2000, 600); }

TEST(DeliveryPlanTwin, AgreesOverShortTracesWithALength) { expect_agreement(7, 4000, 12, 3, true); }

TEST(DeliveryPlanTwin, AgreesOverOneRowWithALength) { expect_agreement(8, 300, 1, 10, true); }

TEST(DeliveryPlanTwin, AgreesOverLongTracesWithALength) { expect_agreement(9, 500, 300, 200, true); }

}  // namespace
}  // namespace clift
