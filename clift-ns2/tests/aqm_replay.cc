// Replays arrivals through a discipline in front of a link of constant rate, for tests/ns2/test_disciplines.py:
// `aqm_replay NAME PACKETS BYTES TIME_NS NS_PER_BYTE [KEY VALUE]...`, with limits and rate, reads `TIME_NS SIZE FLOW ECN`
// lines and writes `NUMBER EVENT TIME_NS` lines.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "core/aqm/disciplines.h"
#include "core/setting_table.h"

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
  Replay(std::unique_ptr<Discipline> discipline, std::int64_t ns_per_byte)
      : discipline_(std::move(discipline)), ns_per_byte_(ns_per_byte) {}

  void arrive(QueuedPacket packet, std::int64_t number) {
    serve_until(packet.arrival_ns);
    packet.handle = reinterpret_cast<void*>(number);
    discipline_->enqueue(packet);
    report_dropped(packet.arrival_ns);
    if (departure_ns_ == never) begin(packet.arrival_ns);
  }

  void serve_until(Nanoseconds now_ns) {
    while (departure_ns_ <= now_ns && departure_ns_ != never) {
      const Nanoseconds time_ns = departure_ns_;
      say(sending_, sending_.is_marked ? "marked" : "sent", time_ns);
      departure_ns_ = never;
      discipline_->set_sending({});
      begin(time_ns);
    }
  }

 private:
  void begin(Nanoseconds now_ns) {
    if (discipline_->dequeue(now_ns, sending_)) {
      departure_ns_ = now_ns + sending_.size_bytes * ns_per_byte_;
      discipline_->set_sending({1, sending_.size_bytes});
    }
    report_dropped(now_ns);
  }

  void report_dropped(Nanoseconds now_ns) {
    for (const auto& [packet, cause] : discipline_->dropped()) {
      say(packet, cause == DropCause::limit ? "limit" : "dropped", now_ns);
    }
    discipline_->clear_dropped();
  }

  static void say(const QueuedPacket& packet, const char* event, Nanoseconds now_ns) {
    std::printf("%lld %s %lld\n", static_cast<long long>(reinterpret_cast<std::intptr_t>(packet.handle)), event,
                static_cast<long long>(now_ns));
  }

  std::unique_ptr<Discipline> discipline_;
  const std::int64_t ns_per_byte_;
  QueuedPacket sending_;
  Nanoseconds departure_ns_ = never;
};

int replay(const std::vector<std::string>& words) {
  DisciplineChoice choice;
  choice.name = words.at(0);
  for (std::size_t i = 5; i + 1 < words.size(); i += 2) choice.parameters.emplace_back(words[i], words[i + 1]);
  const QueueLimits limits{std::stoll(words.at(1)), std::stoll(words.at(2)), std::stoll(words.at(3))};
  try {
    Replay replay(make_discipline(choice, limits, Lcg()), std::stoll(words.at(4)));
    QueuedPacket packet;
    int ecn;
    for (std::int64_t i = 0; std::cin >> packet.arrival_ns >> packet.size_bytes >> packet.flow_hash >> ecn; ++i) {
      packet.ecn = static_cast<Ecn>(ecn);
      replay.arrive(packet, i);
    }
    replay.serve_until(never - 1);
  } catch (const SettingError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace

}  // namespace clift

int main(int argc, char** argv) { return clift::replay(std::vector<std::string>(argv + 1, argv + argc)); }
