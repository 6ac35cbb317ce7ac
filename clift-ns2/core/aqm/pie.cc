#include "core/aqm/pie.h"

#include <algorithm>
#include <iterator>

#include "core/setting_table.h"

namespace clift {

namespace {

struct Gain {
  double below;  // probability
  double divisor;
};

// The lower the probability, the smaller its steps.
constexpr Gain gains[] = {{1e-6, 2048}, {1e-5, 512}, {1e-4, 128}, {1e-3, 32}, {1e-2, 8}, {1e-1, 2}};

double divisor(double probability) {
  const auto gain = std::find_if(std::begin(gains), std::end(gains), [&](auto& g) { return probability < g.below; });
  return gain == std::end(gains) ? 1 : gain->divisor;
}

}  // namespace

void PieOptions::declare(SettingTable& table) {
  table.add_seconds("target", target_ns, 10'000, 10'000'000'000);
  table.add_seconds("update", update_ns, 100'000, 1'000'000'000);
  table.add_seconds("burst", burst_ns, 0, 100'000'000'000);
  table.add_real("alpha", alpha_hz, 0, 1000);
  table.add_real("beta", beta_hz, 0, 10'000);
  table.add_real("mark_below", mark_below, 0, 1);
  table.add_whole("packet_bytes", packet_bytes, 1, 65'535);
  table.add_choice<PieDelay>("delay", delay, {{"timestamp", PieDelay::timestamp}, {"rate", PieDelay::rate}});
  table.add_whole("measured_bytes", measured_bytes, 1, 1 << 16);
}

PieController::PieController(const PieOptions& options)
    : target_s_(to_seconds(options.target_ns)), alpha_hz_(options.alpha_hz), beta_hz_(options.beta_hz) {}

void PieController::update(double delay_s) {
  double step = alpha_hz_ * (delay_s - target_s_) + beta_hz_ * (delay_s - last_delay_s_);
  step /= divisor(probability_);
  if (probability_ >= 0.1) step = std::min(step, 0.02);
  probability_ += step;
  if (delay_s == 0 && last_delay_s_ == 0) probability_ *= 0.98;
  probability_ = std::clamp(probability_, 0.0, 1.0);
  last_delay_s_ = delay_s;
}

void DepartureRate::departed(Nanoseconds now_ns, std::int64_t size_bytes, std::int64_t left_bytes) {
  if (is_measuring_) {
    departed_bytes_ += size_bytes;
    if (departed_bytes_ >= measured_bytes_) {
      const double time_s = to_seconds(now_ns - begin_ns_);
      const double weight = static_cast<double>(measured_bytes_) / (1 << 16);
      average_s_ = average_s_ == 0 ? time_s : time_s * weight + average_s_ * (1 - weight);
      is_measuring_ = false;
    }
  }
  if (!is_measuring_ && left_bytes >= measured_bytes_) {
    is_measuring_ = true;
    begin_ns_ = now_ns;
    departed_bytes_ = 0;
  }
}

double DepartureRate::delay_s(std::int64_t queued_bytes) const {
  return static_cast<double>(queued_bytes) * average_s_ / static_cast<double>(measured_bytes_);
}

Pie::Pie(const QueueLimits& limits, const PieOptions& options, UniformSource uniform)
    : Discipline(limits),
      options_(options),
      uniform_(std::move(uniform)),
      updates_(options.update_ns),
      controller_(options),
      rate_(options.measured_bytes),
      burst_left_ns_(options.burst_ns) {}

void Pie::enqueue(const QueuedPacket& packet) {
  update_until(packet.arrival_ns);
  expire(fifo_, packet.arrival_ns);
  if (!has_room(fifo_.load(), packet)) {
    accumulated_ = 0;
    return drop(packet, DropCause::limit);
  }
  if (controller_.probability() == 0 && controller_.is_short(delay_s_) && controller_.was_short()) {
    burst_left_ns_ = options_.burst_ns;
  }
  QueuedPacket queued = packet;
  if (burst_left_ns_ == 0 && is_early_drop()) {
    accumulated_ = 0;
    if (controller_.probability() >= options_.mark_below) return drop(packet, DropCause::discipline);
    if (!mark_or_drop(queued)) return;
  }
  fifo_.push(queued);
}

bool Pie::dequeue(Nanoseconds now_ns, QueuedPacket& packet) {
  update_until(now_ns);
  expire(fifo_, now_ns);
  if (fifo_.empty()) return false;
  packet = fifo_.pop();
  delay_s_ = to_seconds(now_ns - packet.arrival_ns);
  rate_.departed(now_ns, packet.size_bytes, fifo_.load().bytes);
  return true;
}

void Pie::update_until(Nanoseconds now_ns) {
  updates_.run_until(now_ns, [this](Nanoseconds) {
    if (options_.delay == PieDelay::rate) {
      delay_s_ = rate_.delay_s(fifo_.load().bytes);
    } else if (fifo_.empty()) {
      delay_s_ = 0;  // the last packet's is over
    }
    controller_.update(delay_s_);
    burst_left_ns_ = std::max<Nanoseconds>(0, burst_left_ns_ - options_.update_ns);
    return fifo_.empty() && controller_.is_settled() && burst_left_ns_ == 0;
  });
}

bool Pie::is_early_drop() {
  const double probability = controller_.probability();
  if (controller_.was_short() && probability < 0.2) return false;
  if (fifo_.load().bytes <= 2 * options_.packet_bytes) return false;
  // Drops are neither closer to each other nor farther apart than these bounds of the accumulated probability.
  accumulated_ = probability == 0 ? 0 : accumulated_ + probability;
  if (accumulated_ < 0.85) return false;
  return accumulated_ >= 8.5 || uniform_() < probability;
}

}  // namespace clift
