// Losses to clusters of errors against errors drawn one by one, and against the laws of the process; fixed seeds.
#include "core/clustered_losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/numbers.h"

namespace clift {
namespace {

constexpr int packets = 400'000;

std::vector<bool> losses_of(const ClusterOptions& options, unsigned seed, double length = 1.0) {
  Numbers numbers(seed);
  ClusteredLosses losses(options, numbers);
  std::vector<bool> lost(packets);
  for (auto&& packet : lost) packet = losses.next_is_lost(length);
  return lost;
}

// The slow twin: clusters begin one by one, and so do their errors, over a line of packets.
std::vector<bool> by_definition(double clusters_per_packet, const ClusterOptions& options, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::exponential_distribution<double> gap(clusters_per_packet);
  std::poisson_distribution<int> errors(options.errors_per_cluster);
  std::uniform_real_distribution<double> anywhere(0.0, 1.0);
  std::vector<bool> lost(packets);
  for (double begin = -options.cluster_packets + gap(engine); begin < packets; begin += gap(engine)) {
    for (int left = errors(engine); left > 0; --left) {
      const double place = begin + anywhere(engine) * options.cluster_packets;
      if (place >= 0 && place < packets) lost[static_cast<std::size_t>(place)] = true;
    }
  }
  return lost;
}

double share(const std::vector<bool>& lost) {
  double sum = 0;
  for (const bool packet : lost) sum += packet;
  return sum / packets;
}

// Share of losses that another one follows.
double repeated(const std::vector<bool>& lost) {
  double pairs = 0;
  for (std::size_t i = 1; i < lost.size(); ++i) pairs += lost[i] && lost[i - 1];
  return pairs / packets / share(lost);
}

TEST(ClusteredLosses, AreIndependentWhenAClusterHasNoLength) {
  const auto lost = losses_of({0.1, 10.0, 0.0}, 1);
  // Four standard deviations of binomial laws: of 400,000 packets, and of 40,000 losses.
  EXPECT_NEAR(share(lost), 0.1, 4 * std::sqrt(0.09 / packets));
  EXPECT_NEAR(repeated(lost), 0.1, 4 * std::sqrt(0.09 / 40'000));
}

TEST(ClusteredLosses, AreThoseOfErrorsDrawnOneByOne) {
  // Beginnings per packet by hand from the loss p: -log(1 - p) over (1 - L)(1 - e^-m) + 2 L (1 - (1 - e^-m) / m) for a
  // cluster shorter than a packet, and over (L - 1)(1 - e^-y) + 2 (1 - (1 - e^-y) / y), y = m / L, for a longer one.
  const double e3 = 1 - std::exp(-3.0), e2 = 1 - std::exp(-2.0);
  const ClusterOptions is_short{0.05, 3.0, 0.2}, is_long{0.2, 10.0, 5.0};
  const double short_rate = -std::log(0.95) / (0.8 * e3 + 0.4 * (1 - e3 / 3));
  const double long_rate = -std::log(0.8) / (4 * e2 + 2 * (1 - e2 / 2));
  const auto check = [](const ClusterOptions& options, double rate) {
    const auto ours = losses_of(options, 2), theirs = by_definition(rate, options, 3);
    // 20,000 losses or more, in clusters of a few: 4 % is four standard deviations of either share, or more.
    EXPECT_NEAR(share(ours) / options.loss_probability, 1.0, 0.04);
    EXPECT_NEAR(share(theirs) / options.loss_probability, 1.0, 0.04);
    EXPECT_NEAR(repeated(ours), repeated(theirs), 0.016);
  };
  check(is_short, short_rate);
  check(is_long, long_rate);
}

TEST(ClusteredLosses, LeaveAShortPacketAloneMoreOften) {
  // Without length, clusters hit a packet of a tenth of the length with probability 1 - 0.9^0.1.
  const double loss = 1 - std::pow(0.9, 0.1);
  EXPECT_NEAR(share(losses_of({0.1, 10.0, 0.0}, 4, 0.1)), loss, 4 * std::sqrt(loss / packets));
}

TEST(ClusteredLosses, AreThoseOfTheWholeWhereOneIsCutIntoTenths) {
  // A packet is lost if one of its ten tenths is lost: the process is the same for any division.
  Numbers numbers(5);
  ClusteredLosses losses({0.2, 10.0, 5.0}, numbers);
  std::vector<bool> lost(packets);
  for (auto&& packet : lost) {
    for (int i = 0; i < 10; ++i) packet = losses.next_is_lost(0.1) || packet;
  }
  const auto whole = losses_of({0.2, 10.0, 5.0}, 6);
  EXPECT_NEAR(share(lost) / 0.2, 1.0, 0.04);
  EXPECT_NEAR(repeated(lost), repeated(whole), 0.016);
}

TEST(ClusteredLosses, BeginAsIfTheyHadAlwaysBeen) {
  // First packets of 20,000 lines: standard deviation of their share 0.0032.
  Numbers numbers(7);
  int lost = 0;
  for (int i = 0; i < 20'000; ++i) lost += ClusteredLosses({0.3, 5.0, 20.0}, numbers).next_is_lost();
  EXPECT_NEAR(lost / 20'000.0, 0.3, 0.013);
}

TEST(ClusteredLosses, NeverHappenWithProbability0) {
  Numbers numbers(8);
  ClusteredLosses losses({0.0, 5.0, 20.0}, numbers);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(losses.next_is_lost());
  EXPECT_EQ(numbers.drawn, 0);
}

}  // namespace
}  // namespace clift
