#include "core/aqm/dualpi2.h"

#include <algorithm>

#include "core/setting_table.h"

namespace clift {

namespace {

Nanoseconds update_ns(const DualPi2Options& options) { return std::min(options.target_ns, options.rtt_max_ns / 3); }

Nanoseconds wait_ns(const Fifo& fifo, Nanoseconds now_ns) {
  return fifo.empty() ? 0 : now_ns - fifo.front().arrival_ns;
}

}  // namespace

void DualPi2Options::declare(SettingTable& table) {
  table.add_seconds("target", target_ns, 100'000, 10'000'000'000);
  table.add_seconds("rtt_max", rtt_max_ns, 1'000'000, 10'000'000'000);
  table.add_real("coupling", coupling, 0.1, 10);
  table.add_seconds("threshold", threshold_ns, 0, 1'000'000'000);
  table.add_seconds("ramp", ramp_ns, 0, 1'000'000'000);
  table.add_whole("threshold_packets", threshold_packets, 0, 1000);
  table.add_choice<DualScheduler>("scheduler", scheduler,
                                  {{"wrr", DualScheduler::wrr}, {"ts-fifo", DualScheduler::ts_fifo}});
  table.add_real("classic_weight", classic_weight, 0.001, 0.5);
  table.add_seconds("shift", shift_ns, 0, 10'000'000'000);
}

DualPi2::DualPi2(const QueueLimits& limits, const DualPi2Options& options)
    : Discipline(limits),
      options_(options),
      alpha_hz_(0.1 * to_seconds(update_ns(options)) / (to_seconds(options.rtt_max_ns) * to_seconds(options.rtt_max_ns))),
      beta_hz_(0.3 / to_seconds(options.rtt_max_ns)),
      updates_(update_ns(options)) {}

Load DualPi2::load() const {
  const Load l4s = l4s_.load();
  const Load classic = classic_.load();
  return {l4s.packets + classic.packets, l4s.bytes + classic.bytes};
}

void DualPi2::enqueue(const QueuedPacket& packet) {
  update_until(packet.arrival_ns);
  expire_both(packet.arrival_ns);
  if (!has_room(load(), packet)) return drop(packet, DropCause::limit);
  const bool is_l4s = packet.ecn == Ecn::ect_1 || packet.ecn == Ecn::ce;
  (is_l4s ? l4s_ : classic_).push(packet);
}

bool DualPi2::dequeue(Nanoseconds now_ns, QueuedPacket& packet) {
  update_until(now_ns);
  expire_both(now_ns);
  while (!l4s_.empty() || !classic_.empty()) {
    if (is_turn_of_l4s(now_ns)) {
      packet = pop_l4s();
      if (keep_l4s(now_ns, packet)) return true;
    } else {
      packet = pop_classic();
      if (keep_classic(packet)) return true;
    }
  }
  l4s_lead_bytes_ = 0;
  return false;
}

void DualPi2::update_until(Nanoseconds now_ns) {
  updates_.run_until(now_ns, [this](Nanoseconds time_ns) {
    const double delay_s = to_seconds(std::max(wait_ns(classic_, time_ns), wait_ns(l4s_, time_ns)));
    base_ += alpha_hz_ * (delay_s - to_seconds(options_.target_ns)) + beta_hz_ * (delay_s - last_delay_s_);
    base_ = std::clamp(base_, 0.0, 1.0);
    last_delay_s_ = delay_s;
    return base_ == 0 && delay_s == 0 && l4s_.empty() && classic_.empty();
  });
}

void DualPi2::expire_both(Nanoseconds now_ns) {
  expire(l4s_, now_ns);
  expire(classic_, now_ns);
}

bool DualPi2::is_turn_of_l4s(Nanoseconds now_ns) const {
  if (l4s_.empty() || classic_.empty()) return classic_.empty();
  if (options_.scheduler == DualScheduler::wrr) return l4s_lead_bytes_ <= 0;
  return wait_ns(l4s_, now_ns) + options_.shift_ns >= wait_ns(classic_, now_ns);
}

QueuedPacket DualPi2::pop_l4s() {
  const QueuedPacket packet = l4s_.pop();
  if (!classic_.empty()) l4s_lead_bytes_ += options_.classic_weight * static_cast<double>(packet.size_bytes);
  return packet;
}

QueuedPacket DualPi2::pop_classic() {
  const QueuedPacket packet = classic_.pop();
  if (!l4s_.empty()) l4s_lead_bytes_ -= (1 - options_.classic_weight) * static_cast<double>(packet.size_bytes);
  return packet;
}

bool DualPi2::keep_l4s(Nanoseconds now_ns, QueuedPacket& packet) {
  const double coupled = coupled_probability();
  if (coupled < 1) {
    const double native = native_probability(now_ns - packet.arrival_ns);
    if (l4s_spread_.is_next(std::max(native, coupled))) mark(packet);
    return true;
  }
  // Marks alone do not stop an overload.
  if (l4s_spread_.is_next(classic_probability())) {
    drop(packet, DropCause::discipline);
    return false;
  }
  if (l4s_spread_.is_next(coupled)) mark(packet);
  return true;
}

bool DualPi2::keep_classic(QueuedPacket& packet) {
  if (!classic_spread_.is_next(classic_probability())) return true;
  const double most = std::min(1 / (options_.coupling * options_.coupling), 1.0);
  if (classic_probability() < most) return mark_or_drop(packet);
  drop(packet, DropCause::discipline);
  return false;
}

double DualPi2::native_probability(Nanoseconds wait_ns) const {
  if (l4s_.load().packets <= options_.threshold_packets) return 0;
  if (wait_ns >= options_.threshold_ns + options_.ramp_ns) return 1;
  if (wait_ns <= options_.threshold_ns) return 0;
  return static_cast<double>(wait_ns - options_.threshold_ns) / static_cast<double>(options_.ramp_ns);
}

double DualPi2::coupled_probability() const { return std::min(options_.coupling * base_, 1.0); }

}  // namespace clift
