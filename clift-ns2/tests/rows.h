// Hand-written rows, and functions for tests that use them.
#pragma once

#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/delivery_plan.h"
#include "core/trace_file.h"
#include "core/time.h"

namespace clift {

using Rows = std::vector<LinkRow>;

inline LinkRow delivered_row(Nanoseconds tx_ns, Nanoseconds delay_ns) { return {tx_ns, delay_ns, 1, 1}; }
inline LinkRow lost_row(Nanoseconds tx_ns, Nanoseconds delay_ns) { return {tx_ns, delay_ns, 0, 3}; }
inline LinkRow unsettled_row(Nanoseconds tx_ns) { return {tx_ns, schema::unsettled, 0, 2}; }

// Rows at 0, 10, 20, ..., each delivered so long after it was sent.
inline Rows even_rows(std::int64_t count, Nanoseconds delay_ns) {
  Rows rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(delivered_row(10 * i, delay_ns));
  return rows;
}

// Of a trace of this length, which starts again at its end; without a length the rows tell it.
inline Playback repeating(Nanoseconds begin_ns = 0, Nanoseconds length_ns = 0, Nanoseconds offset_ns = 0) {
  return {begin_ns, length_ns, offset_ns, true};
}

inline LinkRows view(const Rows& rows) { return {rows.data(), rows.size()}; }

using Sizes = std::vector<std::uint32_t>;

// Rows with a size behind each, as they lie in a file.
class SizedRows {
 public:
  SizedRows(const Rows& rows, const Sizes& sizes) : count_(rows.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bytes_.append(reinterpret_cast<const char*>(&rows[i]), sizeof(LinkRow));
      bytes_.append(reinterpret_cast<const char*>(&sizes[i]), sizeof(std::uint32_t));
    }
  }

  LinkRows view() const { return {bytes_.data(), count_, LinkRow::forms[0]}; }

 private:
  std::string bytes_;
  std::size_t count_;
};

// Plan of the next packet; nothing when the link has stopped.
inline std::optional<Delivery> planned(DeliveryPlan& plan, Nanoseconds arrival_ns, std::int64_t size_bytes) {
  Delivery packet;
  return plan.plan(arrival_ns, size_bytes, packet) ? std::optional(packet) : std::nullopt;
}

using Random = std::mt19937_64;

// How often a random test repeats: `make soak` asks for many times as much.
inline int repeats(int usual) {
  const char* const times = std::getenv("CLIFT_SOAK_ROUNDS");
  return times == nullptr ? usual : usual * std::atoi(times);
}

// A number from `least` to `most`, both included.
inline std::int64_t draw(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

inline bool chance(Random& random, double probability) { return std::bernoulli_distribution(probability)(random); }

// `count` rows at irregular distances up to `max_gap_ns`, delays up to `max_delay_ns`, some lost, some unsettled.
inline Rows random_rows(Random& random, std::int64_t count, Nanoseconds max_gap_ns, Nanoseconds max_delay_ns) {
  const double lost = chance(random, 0.5) ? 0.1 : 0.0, unsettled = chance(random, 0.5) ? 0.1 : 0.0;
  Rows rows;
  Nanoseconds tx_ns = draw(random, 0, max_gap_ns);
  for (std::int64_t i = 0; i < count; ++i) {
    const Nanoseconds delay_ns = draw(random, 0, max_delay_ns);
    if (chance(random, unsettled)) {
      rows.push_back(unsettled_row(tx_ns));
    } else {
      rows.push_back(chance(random, lost) ? lost_row(tx_ns, delay_ns) : delivered_row(tx_ns, delay_ns));
    }
    tx_ns += draw(random, 1, max_gap_ns);
  }
  return rows;
}

}  // namespace clift
