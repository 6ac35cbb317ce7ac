// Plays packets into a link layer as a simulator would: arrivals and wakes in order of time.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/online/link_layer.h"
#include "tests/rows.h"

namespace clift {

struct Offer {
  Nanoseconds time_ns;
  std::int64_t size_bytes;
};

// The fate of each packet, by number.
struct Played {
  std::map<std::int64_t, Nanoseconds> departed;
  std::map<std::int64_t, Release> released;
  std::int64_t wakes = 0;
  bool stopped = false;
};

using Times = std::map<std::int64_t, Nanoseconds>;

// Release times of delivered packets, and the negative ones of lost packets.
inline Times times(const Played& played) {
  Times found;
  for (const auto& [packet, release] : played.released) {
    found[packet] = release.delivered ? release.time_ns : -release.time_ns;
  }
  return found;
}

inline void expect_release(const Played& played, std::int64_t packet, Nanoseconds time_ns, bool delivered = true) {
  SCOPED_TRACE("packet " + std::to_string(packet));
  ASSERT_EQ(played.released.count(packet), 1U);
  EXPECT_EQ(played.released.at(packet).time_ns, time_ns);
  EXPECT_EQ(played.released.at(packet).delivered, delivered);
}

inline void collect(LinkLayer& layer, Nanoseconds now_ns, Played& played) {
  for (const Departure& departure : layer.take_departures()) {
    played.departed.emplace(static_cast<std::int64_t>(played.departed.size()), departure.time_ns);
  }
  for (const Release& release : layer.take_released()) {
    if (!played.released.emplace(release.packet, release).second) throw std::logic_error("released twice");
    if (release.time_ns + 1 < now_ns) throw std::logic_error("released in the past");
  }
}

// Offers come in order of time.
inline Played play(LinkLayer& layer, const std::vector<Offer>& offers, Nanoseconds end_ns = never) {
  Played played;
  const auto wake_until = [&](Nanoseconds time_ns) {
    while (layer.wake_ns() <= time_ns && layer.wake_ns() != never) {
      const Nanoseconds now_ns = layer.wake_ns();
      layer.run(now_ns);
      ++played.wakes;
      collect(layer, now_ns, played);
      if (layer.wake_ns() <= now_ns) throw std::logic_error("woken for nothing");
    }
  };
  for (const Offer& offer : offers) {
    wake_until(offer.time_ns - 1);
    layer.offer(offer.time_ns, offer.size_bytes);
    collect(layer, offer.time_ns, played);
  }
  wake_until(end_ns == never ? never - 1 : end_ns);
  played.stopped = layer.stopped();
  return played;
}

inline std::vector<Offer> one_unit_packets(std::size_t count) { return std::vector<Offer>(count, {0, 100}); }

// A trace with a slot every 10 ns, each decoded after 3 ns but for those erased.
inline std::vector<PhyRow> even_slots(std::int64_t count, const std::vector<std::int64_t>& erased = {}) {
  std::vector<PhyRow> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool lost = std::find(erased.begin(), erased.end(), i) != erased.end();
    rows.push_back({10 * i, lost ? 0 : 3});
  }
  return rows;
}

// A trace with a slot every 1 to 20 ns, decoded after `least` to `greatest` ns but for the share that is erased.
inline std::vector<PhyRow> random_slots(Random& random, int count, double erased, Nanoseconds least,
                                        Nanoseconds greatest) {
  std::vector<PhyRow> rows;
  Nanoseconds tx_ns = 0;
  for (int i = 0; i < count; ++i) {
    rows.push_back({tx_ns, chance(random, erased) ? 0 : draw(random, least, greatest)});
    tx_ns += draw(random, 1, 20);
  }
  return rows;
}

// Sixty packets, some together and some after a pause.
inline std::vector<Offer> random_offers(Random& random) {
  std::vector<Offer> offers;
  Nanoseconds time_ns = 0;
  for (int i = 0; i < 60; ++i) {
    offers.push_back({time_ns, draw(random, 1, 700)});
    time_ns += chance(random, 0.3) ? draw(random, 0, 600) : 0;
  }
  return offers;
}

inline PhyRows view(const std::vector<PhyRow>& rows) { return {rows.data(), rows.size()}; }

// Slots with an Es/N0 behind each, as they lie in a file.
class SlotsWithEsN0 {
 public:
  SlotsWithEsN0(const std::vector<PhyRow>& rows, const std::vector<std::int32_t>& es_n0_mdb) : count_(rows.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bytes_.append(reinterpret_cast<const char*>(&rows[i]), sizeof(PhyRow));
      bytes_.append(reinterpret_cast<const char*>(&es_n0_mdb[i]), sizeof(std::int32_t));
    }
  }

  PhyRows view() const {
    const auto form = std::find_if(std::begin(PhyRow::forms), std::end(PhyRow::forms), [](const auto& one) {
      return one.es_n0_mdb_at == sizeof(PhyRow) && one.mode_at == 0;
    });
    return {bytes_.data(), count_, *form};
  }

 private:
  std::string bytes_;
  std::size_t count_;
};

// Slots without sizes carry 100 bytes.

inline Played play_trace(const LinkLayerOptions& options, const std::vector<PhyRow>& rows,
                         const std::vector<Offer>& offers, Nanoseconds end_ns = never) {
  TraceSlots slots(view(rows), 100);
  const auto layer = make_link_layer(options, slots);
  return play(*layer, offers, end_ns);
}

}  // namespace clift
