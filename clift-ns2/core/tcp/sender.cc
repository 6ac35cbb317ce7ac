#include "core/tcp/sender.h"

#include <algorithm>
#include <cmath>

namespace clift::tcp {

Sender::Sender(const SenderOptions& options, std::unique_ptr<CongestionControl> control, Transmit transmit)
    : options_(options),
      control_(std::move(control)),
      transmit_(std::move(transmit)),
      ecn_(options.handshake ? EcnMode::off : options.ecn) {}

void Sender::offer(Nanoseconds now_ns, std::int64_t end) {
  if (offered_ == 0) control_->on_start(now_ns);
  check_application();
  offered_ = std::max(end, board_.next());
  send_what_may(now_ns);
}

double Sender::cwnd() const {
  if (is_handshake()) return 1.0;
  return prr_governs() ? static_cast<double>(prr_.cwnd()) : control_->cwnd();
}

// ---- ACKs

void Sender::on_ack(const Acknowledgement& ack) {
  if (ack.ack > board_.next()) return;
  advertised_end_ = std::max(advertised_end_, ack.window_end);
  check_application();
  Progress progress;
  progress.prior_una = board_.una();
  progress.prior_in_flight = board_.in_flight();
  progress.prior_sacked = board_.sacked();
  const bool was_handshake = is_handshake();

  update_scoreboard(ack, progress);
  if (board_.una() > progress.prior_una) timeouts_since_advance_ = 0;
  sample_rtt(ack, progress);
  if (was_handshake) {
    // The SYN is acknowledged: this gives an RTT sample, but there is no window to grow yet.
    if (state_ == RecoveryState::loss && !is_handshake()) state_ = RecoveryState::open;
    frto_.stop();
    if (!is_handshake()) agree_on_ecn(ack);
    if (!is_handshake() && progress.rtt_ns >= 0) control_->on_established(ack.now_ns, progress.rtt_ns);
  } else {
    read_marks(ack, progress);
    answer_probe(ack, progress);
    answer_echo(ack.now_ns, progress);
    follow_timeout(ack, progress);
    look_for_undo(ack, progress);
    end_recovery(ack.now_ns, progress);
    const bool has_dsack = progress.dsack >= 0 && !progress.dsack_answers_probe;
    rack_.adapt_window(has_dsack, progress.recovery_ends, board_.una(), board_.next());
    detect_losses(ack.now_ns, progress);
    const RateSample rate = sampler_.sample(rtt_.min_rtt_ns());
    respond_to_losses(progress, false);
    report(ack, progress, rate);
  }
  restart_timers(ack, progress);
  send_what_may(ack.now_ns);
}

namespace {

using Block = std::pair<std::int64_t, std::int64_t>;

// A block below the acknowledgement, or within the next block, reports a packet that arrived twice (RFC 2883).
std::int64_t dsack_of(const Acknowledgement& ack) {
  if (ack.blocks.empty()) return -1;
  const auto [left, right] = ack.blocks.front();
  if (right <= ack.ack) return left;
  if (ack.blocks.size() > 1 && left >= ack.blocks[1].first && right <= ack.blocks[1].second) return left;
  return -1;
}

}  // namespace

void Sender::update_scoreboard(const Acknowledgement& ack, Progress& progress) {
  progress.dsack = dsack_of(ack);
  progress.dsack_answers_probe = progress.dsack >= 0 && probe_.is_answered_by(progress.dsack);
  delivered_.clear();
  if (ack.ack > board_.una()) board_.acknowledge(ack.ack, delivered_);
  // In the order of their numbers: otherwise a lost ACK would look like reordering.
  blocks_.assign(ack.blocks.begin() + (progress.dsack >= 0 ? 1 : 0), ack.blocks.end());
  std::sort(blocks_.begin(), blocks_.end());
  for (const Block& block : blocks_) board_.sack(block.first, block.second, delivered_);
  sampler_.begin_ack(ack.now_ns);
  for (const DeliveredPacket& packet : delivered_) {
    sampler_.on_delivered(packet.packet.snapshot, packet.packet.sent_ns, packet.packet.transmission);
  }
}

// Among the newly delivered packets, the one sent last has caused the ACK. By Karn's rule there is no sample if one of
// them was retransmitted: it may have caused the ACK, and the others may have arrived long before. An echoed timestamp
// gives the sample instead.
void Sender::sample_rtt(const Acknowledgement& ack, Progress& progress) {
  const bool is_ambiguous = std::any_of(delivered_.begin(), delivered_.end(),
                                        [](const DeliveredPacket& packet) { return packet.packet.is_retransmitted; });
  if (!is_ambiguous) {
    for (const DeliveredPacket& packet : delivered_) {
      const Nanoseconds rtt_ns = ack.now_ns - packet.packet.sent_ns;
      if (progress.rtt_ns < 0 || rtt_ns < progress.rtt_ns) progress.rtt_ns = rtt_ns;
    }
  } else if (board_.una() > progress.prior_una && ack.echo_ns >= 0) {
    progress.rtt_ns = ack.now_ns - ack.echo_ns;
  }
  if (progress.rtt_ns >= 0) {
    const bool round_ends = board_.una() > round_end_;
    if (round_ends) round_end_ = board_.next();
    rtt_.sample(progress.rtt_ns, round_ends);
    rtt_.end_backoff();  // by a sample only: an RTT beyond the timeout would give none if the timeout fell (RFC 6298, 5)
    probe_.on_rtt_sample();
  }
  rack_.on_delivered(delivered_, ack.now_ns, ack.echo_ns, rtt_.min_rtt_ns());
}

// A probe that has repaired a loss calls for one reduction (RFC 8985, section 7.4.2).
void Sender::answer_probe(const Acknowledgement& ack, const Progress& progress) {
  const bool is_duplicate = ack.ack == progress.prior_una && ack.blocks.empty();
  if (!probe_.on_ack(ack.ack, is_duplicate, progress.dsack_answers_probe)) return;
  if (!recovers()) reduce_at_once(ack.now_ns, event(progress.prior_in_flight));
}

// A receiver without AccECN answers as to an offer of RFC 3168 (RFC 9768, section 3.1.2); 7 is no answer, but a reflection.
void Sender::agree_on_ecn(const Acknowledgement& ack) {
  if (ack.ace == 0 || ack.ace == accurate_offer) return;
  ecn_ = ack.ace == ece ? std::min(offered_ecn_, EcnMode::classic) : offered_ecn_;
}

// Over RFC 3168's feedback all packets of an ACK with an echo count as marked, as in RFC 8257, section 3.3. AccECN counts
// modulo 8: an ACK of more than 7 packets is read as the number nearest to that of the recent share of marks (RFC 9768,
// section 3.2.2.5.2: the likely case); to that share it adds only the marks that are certain. One that delivers nothing may
// be older than the last one.
void Sender::read_marks(const Acknowledgement& ack, Progress& progress) {
  const auto delivered = static_cast<std::int64_t>(delivered_.size());
  if (ecn_ == EcnMode::classic) {
    progress.has_echo = (ack.ace & ece) != 0;
    progress.marked = progress.has_echo ? delivered : 0;
  } else if (ecn_ == EcnMode::accurate && delivered > 0) {
    const std::int64_t least = (ack.ace - ce_count_) & 7;
    const double expected = marked_share_ * static_cast<double>(delivered);
    const std::int64_t most_cycles = std::max<std::int64_t>(0, (delivered - least) / 8);
    const std::int64_t cycles = std::llround((expected - static_cast<double>(least)) / 8.0);
    progress.marked = least + 8 * std::clamp<std::int64_t>(cycles, 0, most_cycles);
    marked_share_ += (static_cast<double>(least) - expected) / static_cast<double>(delivered + 64);
    progress.has_echo = progress.marked > 0;
    ce_count_ += progress.marked;
  }
}

// A mark calls for one reduction in a window, and for none in one that losses have reduced (RFC 3168, section 6.1.2).
void Sender::answer_echo(Nanoseconds now_ns, const Progress& progress) {
  if (!progress.has_echo || recovers() || board_.una() <= reduction_end_) return;
  if (counters_.echoes_answered > 0 && now_ns - answered_ns_ < control_->least_round_ns()) return;
  ++counters_.echoes_answered;
  answered_ns_ = now_ns;
  CongestionEvent mark = event(progress.prior_in_flight);
  mark.is_mark = true;
  reduce_at_once(now_ns, mark);
}

void Sender::reduce_at_once(Nanoseconds now_ns, const CongestionEvent& event) {
  control_->on_enter_recovery(event);
  control_->on_exit_recovery(now_ns, RecoveryState::recovery);
  undo_.end();
  note_reduction();
}

void Sender::note_reduction() {
  reduction_end_ = board_.next();
  tells_reduction_ = ecn_ == EcnMode::classic;
}

void Sender::follow_timeout(const Acknowledgement& ack, Progress& progress) {
  if (!frto_.is_active()) return;
  ForwardRto::Ack seen;
  seen.una = board_.una();
  seen.advances = board_.una() > progress.prior_una;
  seen.is_duplicate = !seen.advances && ack.ack == progress.prior_una;
  for (const DeliveredPacket& packet : delivered_) {
    if (packet.sequence >= recovery_point_) {
      seen.delivers_new = true;
    } else if (!packet.packet.is_retransmitted) {
      seen.delivers_original = true;
    }
  }
  switch (frto_.on_ack(seen)) {
    case ForwardRto::Verdict::send_new:
      forward_budget_ = 2;
      if (!has_new()) frto_.stop();
      break;
    case ForwardRto::Verdict::spurious:
      undo(ack.now_ns, progress);
      break;
    case ForwardRto::Verdict::none:
    case ForwardRto::Verdict::genuine:
      break;
  }
  if (!frto_.is_active()) forward_budget_ = 0;
}

void Sender::look_for_undo(const Acknowledgement& ack, Progress& progress) {
  bool is_spurious = false;
  if (board_.una() > progress.prior_una && recovers()) {
    // As in Linux, an ACK within fast recovery decides only if no retransmission is under way: others may be needed.
    const bool is_open = state_ == RecoveryState::recovery && board_.una() < recovery_point_ &&
                         board_.retransmitted_in_flight() > 0;
    is_spurious = !is_open && undo_.is_caused_by_late_packet(ack.echo_ns);
  }
  if (progress.dsack >= 0 && !progress.dsack_answers_probe) {
    is_spurious = undo_.on_dsack(progress.dsack) || is_spurious;
    // RFC 3708, (A.1): all ACKs of a window were lost, so the return path is congested.
    if (progress.dsack == progress.prior_una && progress.prior_sacked == 0) {
      is_spurious = false;
      undo_.end();
    }
  }
  if (is_spurious) undo(ack.now_ns, progress);
}

void Sender::undo(Nanoseconds now_ns, Progress& progress) {
  ++counters_.undone;
  const RecoveryState from = state_;
  undo_.end();
  frto_.stop();
  forward_budget_ = 0;
  rack_.note_reordering();
  if (from == RecoveryState::loss) rack_.forget();
  // The path reorders packets: RACK judges the packets that still count as lost again.
  if (board_.lost() > 0) board_.unmark_lost();
  control_->on_undo(now_ns, from);
  if (recovers()) {
    state_ = RecoveryState::open;
    progress.recovery_ends = true;
  }
}

void Sender::end_recovery(Nanoseconds now_ns, Progress& progress) {
  if (!recovers()) return;
  if (board_.una() < recovery_point_) return;
  const RecoveryState from = state_;
  state_ = RecoveryState::open;
  frto_.stop();
  forward_budget_ = 0;
  progress.recovery_ends = true;
  control_->on_exit_recovery(now_ns, from);
}

// Marks the packets lost that RACK declares lost, and sets the time of its next check.
void Sender::detect_losses(Nanoseconds now_ns, Progress& progress) {
  const Nanoseconds window_ns =
      rack_.reordering_window_ns(recovers(), board_.sacked(), rtt_.min_rtt_ns(), rtt_.srtt_ns());
  reordering_ns_ = never;
  while (board_.oldest() >= 0) {
    const Nanoseconds deadline_ns = rack_.deadline_ns(board_.at(board_.oldest()), window_ns);
    if (deadline_ns > now_ns) {
      reordering_ns_ = deadline_ns;
      break;
    }
    mark_lost(now_ns, board_.oldest());
    ++progress.lost;
  }
}

void Sender::respond_to_losses(const Progress& progress, bool by_timer) {
  const auto newly_delivered = static_cast<std::int64_t>(delivered_.size());
  const bool begins = board_.lost() > 0 && !recovers();
  if (begins) {
    ++counters_.recoveries;
    state_ = RecoveryState::recovery;
    recovery_point_ = board_.next();
    probe_.cancel();
    undo_.begin();
    control_->on_enter_recovery(event(progress.prior_in_flight));
    note_reduction();
    prr_.begin(control_->ssthresh(), board_.next() - board_.una() - board_.sacked() + newly_delivered);
  } else if (!recovers()) {
    state_ = board_.sacked() > 0 || progress.dsack >= 0 ? RecoveryState::disorder : RecoveryState::open;
  }
  if (!prr_governs()) return;
  if (by_timer || (begins && newly_delivered == 0)) {
    prr_.force(board_.in_flight());
  } else {
    const bool is_safe = board_.una() > progress.prior_una && progress.lost == 0;
    prr_.on_ack(newly_delivered, board_.in_flight(), is_safe);
  }
}

void Sender::report(const Acknowledgement& ack, const Progress& progress, const RateSample& rate) {
  AckSample sample;
  sample.now_ns = ack.now_ns;
  sample.newly_acked = board_.una() - progress.prior_una;
  sample.newly_delivered = static_cast<std::int64_t>(delivered_.size());
  if (sample.newly_acked == 0 && sample.newly_delivered == 0 && progress.lost == 0) return;
  sample.rtt_ns = progress.rtt_ns;
  sample.srtt_ns = rtt_.srtt_ns();
  sample.min_rtt_ns = rtt_.min_rtt_ns();
  sample.prior_in_flight = progress.prior_in_flight;
  sample.in_flight = board_.in_flight();
  sample.delivered = sampler_.delivered();
  sample.snd_una = board_.una();
  sample.snd_nxt = board_.next();
  for (const DeliveredPacket& packet : delivered_) {
    sample.last_delivered = std::max(sample.last_delivered, packet.sequence);
  }
  sample.state = state_;
  sample.has_echo = progress.has_echo;
  sample.newly_marked = progress.marked;
  sample.reordering = rack_.reordering();
  sample.is_cwnd_limited = usage_.is_limited();
  sample.most_outstanding = usage_.most_outstanding();
  sample.rate = rate;
  control_->on_ack(sample);
}

// RFC 6298, (5.2) and (5.3): the timer runs from the last ACK that acknowledged packets in order. As in Linux, it also
// runs from an ACK that reports packets sent before the first missing one: the ACK of that packet cannot be due yet.
void Sender::restart_timers(const Acknowledgement& ack, const Progress& progress) {
  if (board_.is_empty()) {
    timeout_ns_ = probe_ns_ = reordering_ns_ = never;
    return;
  }
  if (board_.una() == progress.prior_una) {
    if (!tail_needs_probe()) probe_ns_ = never;
    if (reports_older_than_first()) timeout_ns_ = ack.now_ns + rtt_.rto_ns();
    return;
  }
  timeout_ns_ = ack.now_ns + rtt_.rto_ns();
  arm_probe(ack.now_ns);
}

// Whether the current ACK delivers a packet that was sent before the last transmission of the first missing one.
bool Sender::reports_older_than_first() const {
  const Nanoseconds first_ns = board_.at(board_.una()).sent_ns;
  return std::any_of(delivered_.begin(), delivered_.end(),
                     [first_ns](const DeliveredPacket& packet) { return packet.packet.sent_ns < first_ns; });
}

// Whether only a probe can reveal the loss of the last packets (RFC 8985, section 7.2).
bool Sender::tail_needs_probe() const {
  return !recovers() && board_.sacked() == 0 && !is_handshake();
}

void Sender::arm_probe(Nanoseconds now_ns) {
  probe_ns_ = never;
  if (!tail_needs_probe()) return;
  probe_ns_ = now_ns + TailLossProbe::timeout_ns(rtt_.srtt_ns(), board_.next() - board_.una());
  probe_ns_ = std::min(probe_ns_, timeout_ns_);
}

CongestionEvent Sender::event(std::int64_t in_flight) const {
  return {in_flight, sampler_.delivered(), rtt_.min_rtt_ns()};
}

void Sender::mark_lost(Nanoseconds now_ns, std::int64_t sequence) {
  const SendSnapshot snapshot = board_.at(sequence).snapshot;
  board_.mark_lost(sequence);
  sampler_.on_lost();
  if (is_handshake()) return;
  LostPacket lost;
  lost.now_ns = now_ns;
  lost.packet = sequence;
  lost.delivered = sampler_.delivered();
  lost.tx_in_flight = snapshot.tx_in_flight;
  lost.lost_since_sent = sampler_.lost() - snapshot.lost;
  lost.is_app_limited = snapshot.is_app_limited;
  control_->on_lost(lost);
}

// ---- timers

Nanoseconds Sender::next_deadline_ns() const {
  return std::min({timeout_ns_, probe_ns_, reordering_ns_, pacing_ns_});
}

void Sender::on_timer(Nanoseconds now_ns) {
  check_application();
  if (reordering_ns_ <= now_ns) on_reordering_timeout(now_ns);
  if (probe_ns_ <= now_ns) on_probe_timeout(now_ns);
  if (timeout_ns_ <= now_ns) on_retransmission_timeout(now_ns);
  send_what_may(now_ns);
}

void Sender::on_reordering_timeout(Nanoseconds now_ns) {
  Progress progress;
  progress.prior_una = board_.una();
  progress.prior_in_flight = board_.in_flight();
  delivered_.clear();
  detect_losses(now_ns, progress);
  if (progress.lost == 0) return;
  respond_to_losses(progress, true);
}

void Sender::on_probe_timeout(Nanoseconds now_ns) {
  if (probe_.may_be_sent()) {
    ++counters_.probes;
    const bool is_new = has_new();
    send(now_ns, is_new ? board_.next() : board_.next() - 1);
    probe_.on_sent(board_.next(), !is_new);
    timeout_ns_ = now_ns + rtt_.rto_ns();
  }
  probe_ns_ = never;
}

void Sender::on_retransmission_timeout(Nanoseconds now_ns) {
  timeout_ns_ = reordering_ns_ = probe_ns_ = never;
  if (board_.is_empty()) return;
  ++counters_.timeouts;
  probe_.cancel();
  if (!recovers()) rack_.doubt_reordering(board_.sacked());
  const std::int64_t prior_in_flight = board_.in_flight();
  const bool in_recovery = state_ == RecoveryState::recovery;
  const bool is_repeated = state_ == RecoveryState::loss && timeouts_since_advance_ > 0;

  // RFC 8985, section 6.3: a packet sent too recently for an acknowledgement is not lost yet.
  const Nanoseconds window_ns =
      rack_.reordering_window_ns(true, board_.sacked(), rtt_.min_rtt_ns(), rtt_.srtt_ns());
  if (board_.at(board_.una()).is_in_flight) mark_lost(now_ns, board_.una());
  while (board_.oldest() >= 0 && rack_.is_overdue(board_.at(board_.oldest()), window_ns, now_ns)) {
    mark_lost(now_ns, board_.oldest());
  }

  if (!is_handshake()) {
    CongestionEvent timeout = event(prior_in_flight);
    timeout.is_repeated = is_repeated || in_recovery;
    control_->on_timeout(timeout);
    note_reduction();
    // RFC 5682 does not apply to a timeout in recovery, but to the same packet's next timeout.
    if (!recovers() || frto_.awaits_first_ack()) {
      frto_.begin(board_.next());
    } else {
      frto_.stop();
    }
    if (!is_repeated && !in_recovery) undo_.begin();
  }
  forward_budget_ = 0;
  state_ = RecoveryState::loss;
  recovery_point_ = board_.next();
  rtt_.back_off();
  ++timeouts_since_advance_;
  send(now_ns, board_.una());
}

// ---- sending

// draft-ietf-ccwg-bbr, "Detecting application-limited phases".
void Sender::check_application() {
  const bool nothing_to_send = board_.next() >= offered_ && !board_.next_lost();
  if (nothing_to_send && static_cast<double>(board_.in_flight()) < std::floor(cwnd())) {
    sampler_.mark_app_limited(board_.in_flight());
  }
}

// A receiver never takes back what it has advertised.
std::int64_t Sender::window_end() const {
  const std::int64_t own = board_.una() + options_.receiver_window;
  return advertised_end_ == 0 ? own : std::min(own, advertised_end_);
}

// The SYN offers ECN; sent again it does not, as some paths drop such SYNs (RFC 3168, section 6.1.1.1), or, with AccECN,
// from the third time on (RFC 9768, section 3.1.4.1). Retransmissions are not ECN-capable (RFC 3168, section 6.1.5). The
// controls that answer the share of marks are those of L4S (RFC 9331, section 4.1).
EcnFlags Sender::ecn_flags(std::int64_t sequence, bool is_retransmission) {
  if (options_.handshake && sequence == 0) {
    const bool gives_up = counters_.timeouts > (options_.ecn == EcnMode::accurate ? 1 : 0);
    offered_ecn_ = gives_up ? EcnMode::off : options_.ecn;
    static constexpr int offers[] = {0, classic_offer, accurate_offer};
    return {Ecn::not_ect, offers[static_cast<int>(offered_ecn_)]};
  }
  const bool is_accurate = ecn_ == EcnMode::accurate;
  if (ecn_ == EcnMode::off || is_retransmission) return {Ecn::not_ect, is_accurate ? first_ce_count : 0};
  if (is_accurate) return {control_->is_scalable() ? Ecn::ect_1 : Ecn::ect_0, first_ce_count};
  return {Ecn::ect_0, std::exchange(tells_reduction_, false) ? cwr : 0};
}

bool Sender::has_new() const {
  return board_.next() < offered_ && board_.next() < window_end() &&
         (!is_handshake() || board_.next() == 0);
}

void Sender::send_what_may(Nanoseconds now_ns) {
  for (; forward_budget_ > 0 && has_new(); --forward_budget_) send(now_ns, board_.next());
  forward_budget_ = 0;

  const auto is_window_full = [this] {
    return board_.in_flight() >= static_cast<std::int64_t>(std::max(1.0, std::floor(cwnd())));
  };
  pacing_ns_ = never;
  while (true) {
    const std::optional<std::int64_t> lost = board_.next_lost();
    if (!lost && !has_new()) break;
    if (lost && frto_.awaits_second_ack()) break;
    if (!lost && board_.is_empty() && last_sent_ns_ >= 0 && now_ns - last_sent_ns_ > rtt_.rto_ns()) {
      control_->on_idle_restart(now_ns, now_ns - last_sent_ns_, rtt_.rto_ns());
      last_sent_ns_ = now_ns;
    }
    if (is_window_full()) break;
    if (!pacer_.may_send(now_ns, control_->pacing_rate())) {
      pacing_ns_ = pacer_.next_ns();
      break;
    }
    send(now_ns, lost ? *lost : board_.next());
  }
  usage_.note(board_.una(), board_.next(), is_window_full());
}

void Sender::send(Nanoseconds now_ns, std::int64_t sequence) {
  const bool is_retransmission = sequence < board_.next();
  control_->on_transmit({now_ns, board_.in_flight(), sampler_.is_app_limited()});
  const SendSnapshot snapshot = sampler_.on_sent(now_ns, board_.in_flight());
  board_.on_sent(sequence, now_ns, snapshot);
  pacer_.on_sent(now_ns, control_->pacing_rate());
  if (prr_governs()) prr_.on_sent();
  ++counters_.packets;
  if (is_retransmission) {
    ++counters_.retransmissions;
    if (recovers()) undo_.on_retransmitted(sequence, now_ns);
  }
  last_sent_ns_ = now_ns;
  // RFC 6298, (5.1); also for a retransmission of the packet that the receiver expects next.
  if (timeout_ns_ == never || sequence == board_.una()) timeout_ns_ = now_ns + rtt_.rto_ns();
  if (!is_retransmission) arm_probe(now_ns);
  transmit_(sequence, is_retransmission);
}

}  // namespace clift::tcp
