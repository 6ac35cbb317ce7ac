// HARQ processes on random traffic, beside a twin that goes through all slots one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/online/link_layer.h"
#include "tests/numbers.h"
#include "tests/online/driver.h"
#include "tests/rows.h"

namespace clift {
namespace {

constexpr std::int64_t unit_bytes = 100;

class Twin {
 public:
  Twin(const LinkLayerOptions& options, const std::vector<Offer>& offers) : options_(options), offers_(offers) {
    for (std::size_t packet = 0; packet < offers.size(); ++packet) {
      const std::int64_t units = (offers[packet].size_bytes + unit_bytes - 1) / unit_bytes;
      open_.push_back(units);
      for (std::int64_t i = 0; i < units; ++i) queue_.push_back(static_cast<std::int64_t>(packet));
    }
  }

  void pass(const PhyRow& slot, double es_n0_mdb) {
    es_n0_mdb_ = es_n0_mdb;
    const HarqProcessesOptions& own = *options_.harq_processes;
    if (first_ns_ < 0) first_ns_ = slot.tx_time_ns;
    const std::int64_t by_time =
        own.slot_time_ns > 0 ? (slot.tx_time_ns - first_ns_ + own.slot_time_ns / 2) / own.slot_time_ns : number_;
    const std::int64_t process = by_time % own.processes;
    ++number_;
    // Feedback in order of arrival, then of transmission.
    std::stable_sort(units_.begin(), units_.end(), [](const Unit& a, const Unit& b) { return a.due_ns < b.due_ns; });
    for (std::size_t i = 0; i < units_.size();) {
      const bool ends = !units_[i].again && units_[i].due_ns <= slot.tx_time_ns;
      ends ? (void)units_.erase(units_.begin() + static_cast<std::ptrdiff_t>(i)) : (void)++i;
    }
    for (Unit& unit : units_) {
      if (!unit.again || unit.due_ns > slot.tx_time_ns || (own.synchronous && unit.process != process)) continue;
      Unit sent = unit;
      units_.erase(units_.begin() + (&unit - units_.data()));
      ++repeated_;
      send(sent, slot);
      return;
    }
    if (queue_.empty() || offers_[static_cast<std::size_t>(queue_.front())].time_ns > slot.tx_time_ns) return;
    const bool taken = std::any_of(units_.begin(), units_.end(), [&](const Unit& u) { return u.process == process; });
    if (own.synchronous ? taken : static_cast<std::int64_t>(units_.size()) >= own.processes) {
      ++stalled_;
      return;
    }
    const Unit unit{queue_.front(), process, 0, false, false, 0, {}};
    queue_.pop_front();
    send(unit, slot);
  }

  // Time of each settled packet; negative if it is lost.
  std::map<std::int64_t, Nanoseconds> fates() const {
    std::map<std::int64_t, Nanoseconds> found;
    for (const auto& [packet, time_ns] : settled_ns_) {
      if (open_[static_cast<std::size_t>(packet)] > 0) continue;
      found[packet] = lost_.count(packet) > 0 ? -time_ns : time_ns;
    }
    return found;
  }

  std::int64_t stalled() const { return stalled_; }
  std::int64_t repeated() const { return repeated_; }
  std::int64_t combined() const { return combined_; }

 private:
  struct Unit {
    std::int64_t packet;
    std::int64_t process;
    Nanoseconds due_ns;
    bool again;
    bool delivered;
    std::int64_t sent;
    std::vector<double> es_n0_mdb;  // of its transmissions
  };

  // In dB and in natural logarithms.
  bool combines(const Unit& unit) const {
    const HarqProcessesOptions& own = *options_.harq_processes;
    if (own.combining == Combining::none || unit.es_n0_mdb.size() < 2) return false;
    double snr = 0.0, nats = 0.0;
    for (const double mdb : unit.es_n0_mdb) {
      snr += std::exp(mdb * std::log(10.0) / 1e4);
      nats += std::log1p(std::exp(mdb * std::log(10.0) / 1e4));
    }
    const double reached = own.combining == Combining::chase ? snr : std::expm1(nats);
    return 10.0 * std::log10(reached) >= own.combining_threshold_db;
  }

  void send(Unit unit, const PhyRow& slot) {
    const bool alone = slot.decode_time_ns > 0;
    const Nanoseconds judged_ns = slot.tx_time_ns + (alone ? slot.decode_time_ns : options_.detection_delay_ns);
    ++unit.sent;
    unit.es_n0_mdb.push_back(es_n0_mdb_);
    const bool decoded = alone || combines(unit);
    combined_ += !alone && decoded && !unit.delivered;
    if (decoded && !unit.delivered) settle(unit.packet, judged_ns, true);
    unit.delivered |= decoded;
    const HarqProcessesOptions& own = *options_.harq_processes;
    bool nack = !unit.delivered;
    if (own.faults != nullptr) {
      const double drawn = own.faults();
      if (drawn < own.missed_feedback) {
        nack = true;
      } else if (drawn < own.missed_feedback + own.false_feedback) {
        nack = !nack;
      }
    }
    unit.again = nack && (options_.repetitions < 0 || unit.sent < options_.repetitions + 1);
    unit.due_ns = judged_ns + options_.rtt_ns;
    if (!unit.again && !unit.delivered) settle(unit.packet, judged_ns, false);
    units_.push_back(unit);
  }

  void settle(std::int64_t packet, Nanoseconds time_ns, bool delivered) {
    settled_ns_[packet] = std::max(settled_ns_[packet], time_ns);
    if (!delivered) lost_[packet] = true;
    --open_[static_cast<std::size_t>(packet)];
  }

  const LinkLayerOptions& options_;
  const std::vector<Offer>& offers_;
  std::deque<std::int64_t> queue_;   // packet of each unit
  std::vector<std::int64_t> open_;   // unsettled units of each packet
  std::vector<Unit> units_;          // that occupy a process
  std::map<std::int64_t, Nanoseconds> settled_ns_;
  std::map<std::int64_t, bool> lost_;
  Nanoseconds first_ns_ = -1;
  double es_n0_mdb_ = 0.0;
  std::int64_t number_ = 0, stalled_ = 0, repeated_ = 0, combined_ = 0;
};

TEST(HarqProcesses, SendsAsTheTwinDoes) {
  Random random(19);
  std::int64_t stalled = 0, repeated = 0, lost = 0, cut_short = 0, combined = 0;
  for (int trial = 0; trial < repeats(50); ++trial) {
    SCOPED_TRACE(trial);
    const auto seed = static_cast<unsigned>(trial);
    LinkLayerOptions options;
    options.framing = Framing::stream;
    options.repetitions = draw(random, -1, 3);
    options.rtt_ns = draw(random, 0, 200);
    options.detection_delay_ns = draw(random, 0, 50);
    HarqProcessesOptions own;
    own.processes = draw(random, 1, 12);
    own.synchronous = chance(random, 0.5);
    own.slot_time_ns = own.synchronous && chance(random, 0.5) ? draw(random, 1, 20) : 0;
    Numbers numbers(seed), same_numbers(seed);
    if (chance(random, 0.3)) {
      own.missed_feedback = 0.1;
      own.false_feedback = 0.1;
      own.faults = numbers;
    }
    own.combining = static_cast<Combining>(draw(random, 0, 2));
    own.combining_threshold_db = static_cast<double>(draw(random, -4, 4)) + 0.0005;
    options.harq_processes = own;
    const std::vector<PhyRow> rows = random_slots(random, static_cast<int>(draw(random, 100, 4000)), 0.2, 1, 40);
    std::vector<std::int32_t> es_n0_mdb;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      es_n0_mdb.push_back(static_cast<std::int32_t>(draw(random, -9000, 3000)));
    }
    const std::vector<Offer> offers = random_offers(random);

    const SlotsWithEsN0 file(rows, es_n0_mdb);
    TraceSlots slots(file.view(), unit_bytes);
    const auto layer = make_link_layer(options, slots);
    std::map<std::int64_t, Nanoseconds> found;
    for (const auto& [packet, release] : play(*layer, offers).released) {
      found[packet] = release.delivered ? release.time_ns : -release.time_ns;
      lost += !release.delivered;
    }

    if (own.faults != nullptr) options.harq_processes->faults = same_numbers;
    Twin twin(options, offers);
    for (std::size_t i = 0; i < rows.size(); ++i) twin.pass(rows[i], es_n0_mdb[i]);
    EXPECT_EQ(found, twin.fates());
    EXPECT_EQ(layer->units().repeated, twin.repeated());
    EXPECT_EQ(layer->units().stalled, twin.stalled());
    cut_short += found.size() < offers.size();
    stalled += layer->units().stalled;
    repeated += layer->units().repeated;
    combined += twin.combined();
  }
  EXPECT_GT(std::min({stalled, repeated, lost}), 300);
  EXPECT_GT(cut_short, 6);
  EXPECT_GT(combined, 60);
}

}  // namespace
}  // namespace clift
