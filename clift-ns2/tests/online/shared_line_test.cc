// Users of a shared line, beside a twin that goes through all slots one by one and asks every user.
#include "core/online/shared_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/setting_table.h"
#include "tests/online/driver.h"
#include "tests/rows.h"

namespace clift {
namespace {

// A user's slots, each with its size.
class OwnSlots {
 public:
  OwnSlots(const std::vector<PhyRow>& rows, std::vector<std::uint32_t> sizes) : rows(rows), sizes(std::move(sizes)) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bytes_.append(reinterpret_cast<const char*>(&rows[i]), sizeof(PhyRow));
      bytes_.append(reinterpret_cast<const char*>(&this->sizes[i]), sizeof(std::uint32_t));
    }
  }

  PhyRows view() const {
    const auto form = std::find_if(std::begin(PhyRow::forms), std::end(PhyRow::forms), [](const auto& one) {
      return one.size_bytes_at == sizeof(PhyRow) && one.es_n0_mdb_at == 0 && one.mode_at == 0;
    });
    return {bytes_.data(), rows.size(), *form};
  }

  std::vector<PhyRow> rows;
  std::vector<std::uint32_t> sizes;

 private:
  std::string bytes_;
};

OwnSlots like(const std::vector<PhyRow>& rows, std::uint32_t bytes = 100) {
  return {rows, std::vector<std::uint32_t>(rows.size(), bytes)};
}

struct User {
  LinkLayerOptions options;
  OwnSlots slots;
  std::vector<Offer> offers;
};

// What a user's packets come to, and the rows that it has taken.
struct Served {
  Times times;
  std::int64_t rows = 0;

  bool operator==(const Served& other) const { return times == other.times && rows == other.rows; }
};

// The fates of a block are known when it has been sent, perhaps after their times.
void collect_late(LinkLayer& layer, Played& played) {
  layer.take_departures();
  for (const Release& release : layer.take_released()) {
    if (!played.released.emplace(release.packet, release).second) throw std::logic_error("released twice");
  }
}

std::vector<Served> play_line(const std::vector<User>& users, const std::string& rule, Nanoseconds end_ns = never) {
  std::vector<std::unique_ptr<TraceSlots>> slots;
  std::vector<std::unique_ptr<LinkLayer>> layers;
  std::vector<SharedLine::User> own;
  std::vector<std::pair<Offer, std::size_t>> offers;
  for (std::size_t user = 0; user < users.size(); ++user) {
    LinkLayerOptions options = users[user].options;
    options.is_shared = true;
    slots.push_back(std::make_unique<TraceSlots>(users[user].slots.view(), 100));
    layers.push_back(make_link_layer(options, *slots.back()));
    own.push_back({layers.back().get(), slots.back().get()});
    for (const Offer& offer : users[user].offers) offers.emplace_back(offer, user);
  }
  std::stable_sort(offers.begin(), offers.end(), [](const auto& a, const auto& b) { return a.first.time_ns < b.first.time_ns; });
  SharedLine line(own, make_slot_scheduler(rule, users.size()));
  std::vector<Played> played(users.size());
  const auto run_until = [&](Nanoseconds time_ns) {
    while (line.wake_ns() <= time_ns && line.wake_ns() != never) {
      const Nanoseconds now_ns = line.wake_ns();
      line.run(now_ns);
      for (std::size_t user = 0; user < users.size(); ++user) collect_late(*layers[user], played[user]);
      if (line.wake_ns() <= now_ns) throw std::logic_error("woken for nothing");
    }
  };
  for (const auto& [offer, user] : offers) {
    run_until(offer.time_ns);
    layers[user]->offer(offer.time_ns, offer.size_bytes);
    collect_late(*layers[user], played[user]);
  }
  run_until(end_ns == never ? never - 1 : end_ns);
  std::vector<Served> served;
  for (std::size_t user = 0; user < users.size(); ++user) {
    served.push_back({times(played[user]), slots[user]->use_until(0)->used});
  }
  return served;
}

// A user without a scheme or with selective-repeat ARQ.
class TwinUser {
 public:
  explicit TwinUser(const User& user) : user_(user) {
    for (const Offer& offer : user.offers) left_.push_back(offer.size_bytes);
    open_.assign(left_.size(), 0);
    settled_.assign(left_.size(), 0);
    lost_.assign(left_.size(), false);
  }

  bool has_to_send(Nanoseconds tx_ns) const {
    return (!repeats_.empty() && repeats_.front().first <= tx_ns) ||
           (head_ < left_.size() && user_.offers[head_].time_ns <= tx_ns);
  }

  void send(std::size_t row) {
    ++served.rows;
    const PhyRow& slot = user_.slots.rows[row];
    std::size_t packet = head_;
    if (!repeats_.empty() && repeats_.front().first <= slot.tx_time_ns) {
      packet = repeats_.front().second;
      repeats_.pop_front();
    } else {
      left_[packet] -= user_.slots.sizes[row];
      ++open_[packet];
      if (left_[packet] <= 0) ++head_;
    }
    const bool erased = slot.decode_time_ns == 0;
    if (erased && user_.options.recovery == Recovery::repeat) {
      repeats_.emplace_back(slot.tx_time_ns + user_.options.rtt_ns, packet);
      return;
    }
    settled_[packet] = std::max<Nanoseconds>(settled_[packet], slot.tx_time_ns + slot.decode_time_ns);
    lost_[packet] = lost_[packet] || erased;
    if (--open_[packet] == 0 && left_[packet] <= 0) {
      served.times[static_cast<std::int64_t>(packet)] = lost_[packet] ? -settled_[packet] : settled_[packet];
    }
  }

  Served served;

 private:
  const User& user_;
  std::vector<std::int64_t> left_, open_;
  std::vector<Nanoseconds> settled_;
  std::vector<bool> lost_;
  std::deque<std::pair<Nanoseconds, std::size_t>> repeats_;
  std::size_t head_ = 0;
};

// The rules of docs/sharing.md.
struct Rule {
  std::string name;
  std::vector<std::int64_t> weights;
  int averaging_slots = 1;

  std::string words() const {
    std::string all = name;
    for (const std::int64_t weight : weights) all += " " + std::to_string(weight);
    return name == "proportional-fair" ? all + " " + std::to_string(averaging_slots) : all;
  }
};

std::vector<Served> walk(const std::vector<User>& users, const Rule& rule) {
  const std::size_t n = users.size();
  std::vector<TwinUser> twins;
  for (const User& user : users) twins.emplace_back(user);
  std::size_t last = n - 1;
  std::vector<std::int64_t> credit(n);
  std::vector<double> mean(n);
  for (std::size_t row = 0; row < users.front().slots.rows.size(); ++row) {
    std::vector<std::size_t> active;
    for (std::size_t user = 0; user < n; ++user) {
      if (twins[user].has_to_send(users.front().slots.rows[row].tx_time_ns)) active.push_back(user);
    }
    std::size_t winner = n;
    const auto better = [&](std::size_t one, std::size_t other) {
      const double own = users[one].slots.sizes[row], size = users[other].slots.sizes[row];
      if (rule.name == "round-robin") return (one + n - last - 1) % n < (other + n - last - 1) % n;
      if (rule.name == "weighted") return credit[one] + rule.weights[one] > credit[other] + rule.weights[other];
      if (mean[one] == 0.0) return mean[other] != 0.0;
      return mean[other] != 0.0 && own / mean[one] > size / mean[other];
    };
    for (const std::size_t user : active) {
      if (winner == n || better(user, winner)) winner = user;
    }
    if (winner < n && rule.name == "weighted") {
      // Who comes before the winner has nothing to send, and gains nothing.
      std::vector<std::size_t> gaining;
      for (std::size_t user = 0; user < n; ++user) {
        if (!better(user, winner) && (better(winner, user) || user >= winner)) gaining.push_back(user);
      }
      for (const std::size_t user : gaining) {
        credit[user] += rule.weights[user];
        credit[winner] -= rule.weights[user];
      }
    }
    for (std::size_t user = 0; user < n; ++user) {
      mean[user] *= 1.0 - 1.0 / rule.averaging_slots;
      if (user == winner) mean[user] += 1.0 / rule.averaging_slots * users[user].slots.sizes[row];
    }
    if (winner == n) continue;
    last = winner;
    twins[winner].send(row);
  }
  std::vector<Served> served;
  for (const TwinUser& twin : twins) served.push_back(twin.served);
  return served;
}

LinkLayerOptions without_order(Recovery recovery = Recovery::none, Nanoseconds rtt_ns = 0) {
  LinkLayerOptions options;
  options.framing = Framing::stream;
  options.recovery = recovery;
  options.rtt_ns = rtt_ns;
  options.resequencer.in_order = false;
  return options;
}

// The same slots with fates and sizes of their own.
OwnSlots another(Random& random, const std::vector<PhyRow>& line, std::int64_t most_bytes) {
  std::vector<PhyRow> rows = line;
  std::vector<std::uint32_t> sizes;
  const double erased = 0.5 * static_cast<double>(draw(random, 0, 1));
  for (PhyRow& row : rows) {
    row.decode_time_ns = chance(random, erased) ? 0 : draw(random, 1, 50);
    sizes.push_back(static_cast<std::uint32_t>(draw(random, 100, most_bytes)));
  }
  return {rows, sizes};
}

TEST(SharedLine, GivesSlotsAsItsTwinDoes) {
  Random random(1);
  for (int round = 0; round < repeats(300); ++round) {
    SCOPED_TRACE(round);
    const std::vector<PhyRow> line = random_slots(random, 1500, 0.0, 1, 1);
    const auto n = static_cast<std::size_t>(draw(random, 1, 5));
    Rule rule{std::vector<std::string>{"round-robin", "weighted", "proportional-fair"}[static_cast<std::size_t>(round % 3)],
              {}, static_cast<int>(draw(random, 1, 50))};
    std::vector<User> users;
    for (std::size_t user = 0; user < n; ++user) {
      if (rule.name == "weighted") rule.weights.push_back(draw(random, 1, 4));
      const bool has_arq = chance(random, 0.5);
      const auto options = without_order(has_arq ? Recovery::repeat : Recovery::none, has_arq ? draw(random, 0, 200) : 0);
      users.push_back({options, another(random, line, chance(random, 0.5) ? 100 : 200), random_offers(random)});
    }
    const std::vector<Served> served = play_line(users, rule.words()), expected = walk(users, rule);
    for (std::size_t user = 0; user < n; ++user) {
      SCOPED_TRACE(user);
      EXPECT_EQ(served[user].rows, expected[user].rows);
      EXPECT_EQ(served[user].times, expected[user].times);
    }
    if (testing::Test::HasFailure()) break;
  }
}

// Users who always have packets.
std::vector<User> busy(std::size_t users, std::int64_t slots) {
  return std::vector<User>(users, {without_order(), like(even_slots(slots)), one_unit_packets(static_cast<std::size_t>(slots))});
}

TEST(SharedLine, GivesBusyUsersEveryNthSlot) {
  const std::vector<Served> served = play_line(busy(3, 300), "round-robin");
  for (std::size_t user = 0; user < 3; ++user) {
    ASSERT_EQ(served[user].rows, 100);
    for (const auto& [packet, time_ns] : served[user].times) {
      EXPECT_EQ(time_ns, 10 * (3 * packet + static_cast<std::int64_t>(user)) + 3);
    }
  }
}

TEST(SharedLine, DividesSlotsByWeights) {
  const std::vector<Served> served = play_line(busy(2, 300), "weighted 2 1");
  EXPECT_EQ(served[0].rows, 200);
  EXPECT_EQ(served[1].rows, 100);
}

TEST(SharedLine, DividesSlotsByWeightsBesideAnIdleUser) {
  std::vector<User> users = busy(3, 3000);
  users[0].offers.clear();
  const std::vector<Served> served = play_line(users, "weighted 5 2 1");
  EXPECT_NEAR(static_cast<double>(served[1].rows), 2000, 8);
  EXPECT_EQ(served[1].rows + served[2].rows, 3000);
}

TEST(SharedLine, IsWhollyOfAUserWhoIsAlone) {
  for (const char* rule : {"round-robin", "weighted 1 9 9", "proportional-fair 100"}) {
    std::vector<User> users = busy(3, 300);
    users[1].offers.clear();
    users[2].offers.clear();
    EXPECT_EQ(play_line(users, rule)[0].rows, 300) << rule;
  }
}

TEST(SharedLine, OwesNothingForAnIdleTime) {
  // The second user comes when half of the slots are gone.
  for (const char* rule : {"round-robin", "weighted 1 1"}) {
    std::vector<User> users = busy(2, 400);
    for (Offer& offer : users[1].offers) offer.time_ns = 2000;
    const std::vector<Served> served = play_line(users, rule);
    EXPECT_NEAR(static_cast<double>(served[0].rows), 300, 1) << rule;
  }
}

TEST(SharedLine, SharesEquallyByProportionalFairnessWhateverTheRates) {
  std::vector<User> users = busy(2, 4000);
  users[1].slots = like(even_slots(4000), 400);
  const std::vector<Served> served = play_line(users, "proportional-fair 100");
  EXPECT_NEAR(static_cast<double>(served[0].rows), 2000, 100);
  EXPECT_EQ(served[0].rows + served[1].rows, 4000);
}

// Every kind of link layer, with in-order delivery.
std::vector<LinkLayerOptions> every_layer(Random& random) {
  std::vector<LinkLayerOptions> found(8);
  for (LinkLayerOptions& options : found) {
    options.framing = Framing::stream;
    options.rtt_ns = draw(random, 0, 150);
    options.packing = chance(random, 0.3) ? Packing::packed : Packing::padded;
  }
  found[1].recovery = Recovery::repeat;
  found[2].repair = 2;
  found[2].data = draw(random, 1, 8);
  found[2].depth = draw(random, 1, 3);
  found[3].recovery = Recovery::extend;
  found[3].data = draw(random, 1, 8);
  found[4].sliding_window = SlidingWindowOptions{draw(random, 1, 20), draw(random, 1, 5)};
  found[5].sliding_window = SlidingWindowOptions{draw(random, 1, 20), draw(random, 1, 5), true};
  found[6].harq_processes = HarqProcessesOptions();
  found[7].harq_processes = HarqProcessesOptions();
  found[7].harq_processes->synchronous = true;
  for (const std::size_t below : {0U, 1U, 4U, 5U, 6U}) {
    found.push_back(found[below]);
    found.back().rlc = RlcOptions();
    found.back().rlc->acknowledged = chance(random, 0.7);
    found.back().rlc->poll_retransmit_ns = draw(random, 60, 300);
    found.back().rlc->reassembly_ns = draw(random, 0, 60);
  }
  LinkLayerOptions going_back;
  going_back.recovery = Recovery::go_back;
  going_back.data = draw(random, 1, 4);
  going_back.window = draw(random, 1, 8);
  going_back.rtt_ns = going_back.timeout_ns = draw(random, 0, 150);
  LinkLayerOptions blind;
  blind.harq_processes = HarqProcessesOptions();
  blind.harq_processes->copies = draw(random, 1, 3);
  found.insert(found.end(), {going_back, blind});
  return found;
}

TEST(SharedLine, ChangesNothingForAUserWhoIsAlone) {
  Random random(2);
  for (int round = 0; round < repeats(10); ++round) {
    const std::vector<PhyRow> rows = random_slots(random, 3000, 0.2, 1, 60);
    const std::vector<Offer> offers = random_offers(random);
    const std::vector<LinkLayerOptions> layers = every_layer(random);
    for (std::size_t kind = 0; kind < layers.size(); ++kind) {
      SCOPED_TRACE("round " + std::to_string(round) + ", layer " + std::to_string(kind));
      const std::vector<User> users = {{layers[kind], like(rows), offers}, {layers[kind], like(rows), {}}};
      const Nanoseconds end_ns = rows.back().tx_time_ns - 2000;
      EXPECT_EQ(play_line(users, "round-robin", end_ns)[0].times, times(play_trace(layers[kind], rows, offers, end_ns)));
    }
  }
}

TEST(SharedLine, LeavesNoSlotFreeWhileBusyUsersOfAnySchemeWait) {
  Random random(3);
  for (int round = 0; round < repeats(10); ++round) {
    const std::vector<PhyRow> rows = random_slots(random, 2000, 0.2, 1, 60);
    std::vector<User> users;
    for (const LinkLayerOptions& options : every_layer(random)) users.push_back({options, like(rows), one_unit_packets(3000)});
    users.push_back(users[2]);
    users.back().options.rlc = users[8].options.rlc;  // over blocks with repair units
    std::int64_t taken = 0;
    const std::vector<Served> served = play_line(users, "round-robin");
    for (const Served& user : served) {
      taken += user.rows;
      EXPECT_GT(user.rows, 50);
    }
    EXPECT_EQ(taken, 2000);
  }
}

TEST(SharedLine, RefusesSchedulersThatDoNotFit) {
  for (const char* words : {"", "first", "round-robin 2", "weighted 1", "weighted 1 0", "weighted 1 x", "weighted 1 1 1",
                            "weighted 1 1000001", "proportional-fair", "proportional-fair 0"}) {
    EXPECT_THROW(make_slot_scheduler(words, 2), SettingError) << words;
  }
}

}  // namespace
}  // namespace clift
