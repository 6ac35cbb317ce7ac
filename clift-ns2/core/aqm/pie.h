// PIE (RFC 8033): drops or marks at arrival, with a probability that a controller of the queueing delay sets. It has ECN
// (section 5.1), derandomization (5.4) and the cap of steps (5.5).
#pragma once

#include <cstdint>
#include <utility>

#include "core/aqm/discipline.h"
#include "core/aqm/fifo.h"
#include "core/aqm/periodic_updates.h"
#include "core/uniform_source.h"

namespace clift {

class SettingTable;

enum class PieDelay : std::uint8_t { timestamp, rate };

struct PieOptions {
  Nanoseconds target_ns = 15'000'000;
  Nanoseconds update_ns = 15'000'000;
  Nanoseconds burst_ns = 150'000'000;
  double alpha_hz = 0.125;
  double beta_hz = 1.25;
  double mark_below = 0.1;                 // packets are marked at lower probabilities than this, dropped at others
  std::int64_t packet_bytes = 1500;        // a queue of at most two such packets drops nothing early
  PieDelay delay = PieDelay::timestamp;    // the last departed packet's, or the queue's bytes over the departure rate
  std::int64_t measured_bytes = 1 << 14;   // the departure rate is that of so many bytes

  void declare(SettingTable& table);
};

// The drop probability (section 4.2).
class PieController {
 public:
  explicit PieController(const PieOptions& options);

  void update(double delay_s);

  double probability() const { return probability_; }
  bool is_settled() const { return probability_ == 0 && last_delay_s_ == 0; }

  // Whether the last delay was below half the target.
  bool was_short() const { return last_delay_s_ < target_s_ / 2; }
  bool is_short(double delay_s) const { return delay_s < target_s_ / 2; }

 private:
  const double target_s_, alpha_hz_, beta_hz_;
  double probability_ = 0;
  double last_delay_s_ = 0;
};

// The time that the link takes for `measured_bytes`, smoothed (section 5.2, appendix B).
class DepartureRate {
 public:
  explicit DepartureRate(std::int64_t measured_bytes) : measured_bytes_(measured_bytes) {}

  void departed(Nanoseconds now_ns, std::int64_t size_bytes, std::int64_t left_bytes);
  double delay_s(std::int64_t queued_bytes) const;

 private:
  const std::int64_t measured_bytes_;
  bool is_measuring_ = false;
  Nanoseconds begin_ns_ = 0;
  std::int64_t departed_bytes_ = 0;
  double average_s_ = 0;
};

class Pie : public Discipline {
 public:
  Pie(const QueueLimits& limits, const PieOptions& options, UniformSource uniform);

  void enqueue(const QueuedPacket& packet) override;
  bool dequeue(Nanoseconds now_ns, QueuedPacket& packet) override;
  Load load() const override { return fifo_.load(); }

 private:
  void update_until(Nanoseconds now_ns);
  bool is_early_drop();

  const PieOptions options_;
  UniformSource uniform_;
  Fifo fifo_;
  PeriodicUpdates updates_;
  PieController controller_;
  DepartureRate rate_;
  double delay_s_ = 0;
  Nanoseconds burst_left_ns_;
  double accumulated_ = 0;  // probability since the last drop
};

}  // namespace clift
