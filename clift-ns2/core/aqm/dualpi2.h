// DualPI2 (RFC 9332, appendix A): two queues, of L4S packets (ECT(1) and CE) and of all others, with coupled probabilities
// of marks and drops.
#pragma once

#include <cstdint>

#include "core/aqm/discipline.h"
#include "core/aqm/fifo.h"
#include "core/aqm/periodic_updates.h"

namespace clift {

class SettingTable;

// Weighted round robin, or the packet that has waited longest, with a shift in favour of L4S.
enum class DualScheduler : std::uint8_t { wrr, ts_fifo };

struct DualPi2Options {
  Nanoseconds target_ns = 15'000'000;
  Nanoseconds rtt_max_ns = 100'000'000;
  double coupling = 2;
  Nanoseconds threshold_ns = 800'000;  // from this waiting time on L4S packets are marked, ...
  Nanoseconds ramp_ns = 400'000;       // ... this much later all of them
  std::int64_t threshold_packets = 1;  // only while more packets wait behind
  DualScheduler scheduler = DualScheduler::wrr;
  double classic_weight = 1.0 / 16;    // wrr
  Nanoseconds shift_ns = 50'000'000;   // ts_fifo

  void declare(SettingTable& table);
};

// Spreads events of a given probability evenly (named recur in the RFC).
class EvenSpread {
 public:
  bool is_next(double probability) {
    count_ += probability;
    if (count_ <= 1) return false;
    count_ -= 1;
    return true;
  }

 private:
  double count_ = 0;
};

class DualPi2 : public Discipline {
 public:
  DualPi2(const QueueLimits& limits, const DualPi2Options& options);

  void enqueue(const QueuedPacket& packet) override;
  bool dequeue(Nanoseconds now_ns, QueuedPacket& packet) override;
  Load load() const override;

 private:
  void update_until(Nanoseconds now_ns);
  void expire_both(Nanoseconds now_ns);
  bool is_turn_of_l4s(Nanoseconds now_ns) const;
  QueuedPacket pop_l4s();
  QueuedPacket pop_classic();

  // Mark a packet that leaves its queue, or drop it and return false.
  bool keep_l4s(Nanoseconds now_ns, QueuedPacket& packet);
  bool keep_classic(QueuedPacket& packet);

  // Probability that L4S's own ramp marks a packet.
  double native_probability(Nanoseconds wait_ns) const;

  double classic_probability() const { return base_ * base_; }
  double coupled_probability() const;

  const DualPi2Options options_;
  const double alpha_hz_, beta_hz_;
  Fifo l4s_, classic_;
  PeriodicUpdates updates_;
  double base_ = 0;  // p' in the RFC
  double last_delay_s_ = 0;
  EvenSpread l4s_spread_, classic_spread_;
  double l4s_lead_bytes_ = 0;  // wrr: what L4S has sent beyond its share while both queues had packets, weighted
};

}  // namespace clift
