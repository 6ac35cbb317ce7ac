// Soft combining: what is decoded, by the file that Python reads, too, and when, worked by hand. The RTT is 25 ns.
#include "core/online/combining.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"

namespace clift {
namespace {

LinkLayerOptions combined(Combining kind, double threshold_db) {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.repetitions = -1;
  options.rtt_ns = 25;
  options.detection_delay_ns = 4;
  options.harq_processes = HarqProcessesOptions{};
  options.harq_processes->combining = kind;
  options.harq_processes->combining_threshold_db = threshold_db;
  return options;
}

Played play_slots(const LinkLayerOptions& options, const SlotsWithEsN0& slots, const std::vector<Offer>& offers) {
  TraceSlots source(slots.view(), 100);
  return play(*make_link_layer(options, source), offers);
}

TEST(SoftCombining, DecidesAsTheContractSays) {
  std::ifstream table(CONTRACT_FOLDER "combining.tsv");
  std::string line;
  std::getline(table, line);
  int lines = 0;
  for (; std::getline(table, line); ++lines) {
    SCOPED_TRACE(line);
    std::istringstream fields(line);
    std::string kind;
    double threshold_db;
    bool decoded;
    fields >> kind >> threshold_db >> decoded;
    std::vector<std::int32_t> es_n0_mdb;
    for (std::int32_t value; fields >> value;) es_n0_mdb.push_back(value);
    auto options = combined(kind == "chase" ? Combining::chase : Combining::incremental, threshold_db);
    options.harq_processes->copies = static_cast<std::int64_t>(es_n0_mdb.size());
    std::vector<PhyRow> rows;
    for (std::size_t i = 0; i < es_n0_mdb.size(); ++i) rows.push_back({10 * static_cast<Nanoseconds>(i), 0});
    const Played played = play_slots(options, {rows, es_n0_mdb}, {{0, 100}});
    EXPECT_EQ(played.released.at(0).delivered, decoded);
  }
  EXPECT_EQ(lines, 600);
}

// At -1 dB the SNR is 0.794, or 0.843 bits; the threshold of 3 dB is 1.995, or 1.583 bits. All slots are erased, each
// NACK arrives 29 ns after its slot, and the unit is sent in slots 0, 3, 6 and 9.
TEST(SoftCombining, DeliversWhenTheSumReachesTheThreshold) {
  const SlotsWithEsN0 slots(std::vector<PhyRow>{{0, 0}, {10, 0}, {20, 0}, {30, 0}, {40, 0}, {50, 0}, {60, 0}},
                            std::vector<std::int32_t>(7, -1000));
  auto delivered_ns = [&](Combining kind) {
    auto options = combined(kind, 3.0);
    options.harq_processes->processes = 1;
    const Played played = play_slots(options, slots, {{0, 100}});
    return played.released.empty() ? never : played.released.at(0).time_ns;
  };
  EXPECT_EQ(delivered_ns(Combining::none), never);
  EXPECT_EQ(delivered_ns(Combining::chase), 64);
  EXPECT_EQ(delivered_ns(Combining::incremental), 34);
}

TEST(SoftCombining, LeavesTheFirstTransmissionToItsSlot) {
  auto options = combined(Combining::chase, 3.0);
  options.repetitions = 0;
  const SlotsWithEsN0 slots(std::vector<PhyRow>{{0, 0}}, std::vector<std::int32_t>{20'000});
  EXPECT_FALSE(play_slots(options, slots, {{0, 100}}).released.at(0).delivered);
}

TEST(SoftCombining, StartsAnewWithEachUnit) {
  // One process gives up after two transmissions: 0 dB and -20 dB do not suffice, and do not help the next unit.
  auto options = combined(Combining::chase, 3.0);
  options.repetitions = 1;
  options.harq_processes->processes = 1;
  std::vector<PhyRow> rows;
  for (Nanoseconds i = 0; i < 4; ++i) rows.push_back({30 * i, 0});
  const Played played = play_slots(options, {rows, {0, -20'000, 0, 0}}, {{0, 100}, {0, 100}});
  EXPECT_FALSE(played.released.at(0).delivered);
  EXPECT_TRUE(played.released.at(1).delivered);
  EXPECT_EQ(played.released.at(1).time_ns, 94);
}

TEST(SoftCombining, TakesTheCopyThatIsDecodedFirst) {
  // Two copies: combined after the second, which is erased; 3 ns after the first; after the second, at once.
  auto options = combined(Combining::chase, 3.0);
  options.harq_processes->copies = 2;
  const std::vector<PhyRow> rows = {{0, 0}, {10, 0}, {20, 3}, {30, 0}, {40, 0}, {50, 1}};
  const Played played = play_slots(options, {rows, std::vector<std::int32_t>(6, 0)}, {{0, 100}, {0, 100}, {0, 100}});
  EXPECT_EQ(played.released.at(0).time_ns, 14);
  EXPECT_EQ(played.released.at(1).time_ns, 23);
  EXPECT_EQ(played.released.at(2).time_ns, 51);
}

}  // namespace
}  // namespace clift
