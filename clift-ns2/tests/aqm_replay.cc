// Replays arrivals through a discipline in front of a link of constant rate, for tests/ns2/test_disciplines.py:
// `aqm_replay NAME PACKETS BYTES TIME_NS NS_PER_BYTE [KEY VALUE]...`, with limits and rate, reads `TIME_NS SIZE FLOW ECN`
// lines and writes `NUMBER EVENT TIME_NS` lines.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "core/queued_link.h"
#include "core/setting_table.h"
#include "tests/play_link.h"

namespace clift {

namespace {

// Of the twins as well (Knuth's MMIX generator).
class Lcg {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (static_cast<double>(state_ >> 11) + 0.5) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_ = 1;
};

class Replay {
 public:
  Replay(const QueueOptions& queue, double rate_bps) : link_(RatePlan(rate_bps), queue, Lcg()) {}

  void arrive(QueuedPacket packet, std::int64_t number) {
    advance(packet.arrival_ns);
    packet.handle = reinterpret_cast<void*>(number);
    link_.take(packet);
    report_dropped(packet.arrival_ns);
    advance(packet.arrival_ns);
  }

  void advance(Nanoseconds until_ns) {
    play(
        link_, until_ns,
        [](const QueuedPacket& packet, Nanoseconds now_ns) { say(packet, packet.is_marked ? "marked" : "sent", now_ns); },
        [this](Nanoseconds now_ns) { report_dropped(now_ns); });
  }

 private:
  void report_dropped(Nanoseconds now_ns) {
    for (const auto& [packet, cause] : link_.dropped()) {
      say(packet, cause == DropCause::limit ? "limit" : "dropped", now_ns);
    }
    link_.clear_dropped();
  }

  static void say(const QueuedPacket& packet, const char* event, Nanoseconds now_ns) {
    std::printf("%lld %s %lld\n", static_cast<long long>(reinterpret_cast<std::intptr_t>(packet.handle)), event,
                static_cast<long long>(now_ns));
  }

  QueuedLink link_;
};

int replay(const std::vector<std::string>& words) {
  QueueOptions options;
  options.limits = {std::stoll(words.at(1)), std::stoll(words.at(2)), std::stoll(words.at(3))};
  options.discipline.name = words.at(0);
  for (std::size_t i = 5; i + 1 < words.size(); i += 2) {
    options.discipline.parameters.emplace_back(words[i], words[i + 1]);
  }
  try {
    Replay replay(options, 8e9 / std::stod(words.at(4)));
    QueuedPacket packet;
    int ecn;
    for (std::int64_t i = 0; std::cin >> packet.arrival_ns >> packet.size_bytes >> packet.flow_hash >> ecn; ++i) {
      packet.ecn = static_cast<Ecn>(ecn);
      replay.arrive(packet, i);
    }
    replay.advance(never - 1);
  } catch (const SettingError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace

}  // namespace clift

int main(int argc, char** argv) { return clift::replay(std::vector<std::string>(argv + 1, argv + argc)); }
