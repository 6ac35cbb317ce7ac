#include "core/online/slot_scheduler.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "core/setting_table.h"
#include "core/words.h"

namespace clift {

namespace {

// The first of all users is the one after the last who sent.
class RoundRobin : public SlotScheduler {
 public:
  explicit RoundRobin(std::size_t users) : order_(users) {}

  const std::vector<std::size_t>& order(std::int64_t, const std::vector<std::int64_t>&) override {
    for (std::size_t place = 0; place < order_.size(); ++place) order_[place] = (first_ + place) % order_.size();
    return order_;
  }

  void take(std::size_t place, std::int64_t) override { first_ = order_[place] + 1; }

 private:
  std::size_t first_ = 0;
  std::vector<std::size_t> order_;
};

// A rule by which the users with the largest values come first, of equals the first one.
class ByValue : public SlotScheduler {
 public:
  explicit ByValue(std::size_t users) : order_(users) {}

 protected:
  template <class Value>
  const std::vector<std::size_t>& by(const std::vector<Value>& values) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](auto one, auto other) { return values[one] > values[other]; });
    return order_;
  }

  std::vector<std::size_t> order_;
};

// A user's credit grows by its weight; who sends pays what all have gained. Who had nothing to send gains nothing.
class Weighted : public ByValue {
 public:
  explicit Weighted(const std::vector<std::int64_t>& weights)
      : ByValue(weights.size()), weights_(weights), credit_(weights.size()), grown_(weights) {}

  const std::vector<std::size_t>& order(std::int64_t, const std::vector<std::int64_t>&) override {
    for (std::size_t user = 0; user < weights_.size(); ++user) grown_[user] = credit_[user] + weights_[user];
    return by(grown_);
  }

  void take(std::size_t place, std::int64_t) override {
    std::int64_t gained = 0;
    for (std::size_t at = place; at < order_.size(); ++at) {
      credit_[order_[at]] += weights_[order_[at]];
      gained += weights_[order_[at]];
    }
    credit_[order_[place]] -= gained;
  }

 private:
  std::vector<std::int64_t> weights_, credit_, grown_;
};

// The users with the largest rates relative to their means come first; a user without a mean precedes all others.
class ProportionalFair : public ByValue {
 public:
  ProportionalFair(std::size_t users, std::int64_t averaging_slots)
      : ByValue(users), part_(1.0 / static_cast<double>(averaging_slots)), means_(users), relative_(users) {}

  const std::vector<std::size_t>& order(std::int64_t row, const std::vector<std::int64_t>& sizes) override {
    if (next_row_ < 0) next_row_ = row;
    for (; next_row_ < row; ++next_row_) decay();
    for (std::size_t user = 0; user < means_.size(); ++user) {
      const auto size = static_cast<double>(sizes[user]);
      const double first = size > 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
      relative_[user] = means_[user] > 0.0 ? size / means_[user] : first;
    }
    return by(relative_);
  }

  void take(std::size_t place, std::int64_t bytes) override {
    decay();
    means_[order_[place]] += part_ * static_cast<double>(bytes);
    ++next_row_;
  }

 private:
  void decay() {
    for (double& mean : means_) mean *= 1.0 - part_;
  }

  double part_;
  std::vector<double> means_, relative_;
  std::int64_t next_row_ = -1;  // of which the means do not know
};

std::int64_t whole(const std::string& of, const std::string& word) {
  constexpr std::int64_t most = 1'000'000;
  const auto found = number_in<std::int64_t>(word, 1, std::numeric_limits<std::int64_t>::max());
  if (!found || (of == "weighted" && *found > most)) {
    SettingTable::refuse("scheduler " + of, word, of == "weighted" ? "weights from 1 to 1000000" : "1 slot or more");
  }
  return *found;
}

}  // namespace

std::unique_ptr<SlotScheduler> make_slot_scheduler(const std::string& words, std::size_t users) {
  std::istringstream in(words);
  std::string name;
  in >> name;
  std::vector<std::int64_t> numbers;
  for (std::string word; in >> word;) numbers.push_back(whole(name, word));
  if (name == "round-robin" && numbers.empty()) return std::make_unique<RoundRobin>(users);
  if (name == "weighted" && numbers.size() == users) return std::make_unique<Weighted>(numbers);
  if (name == "proportional-fair" && numbers.size() == 1) return std::make_unique<ProportionalFair>(users, numbers[0]);
  SettingTable::refuse("scheduler", words,
                       "round-robin, weighted WEIGHT ... with one for each of " + std::to_string(users) +
                           " users, or proportional-fair SLOTS");
}

}  // namespace clift
