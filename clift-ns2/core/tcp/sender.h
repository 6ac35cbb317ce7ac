// A bulk-data sender with the recovery of present-day stacks: it decides the time of each packet and interprets each
// ACK. The host (an ns-2 agent, or a test) carries packets and time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/tcp/congestion_control.h"
#include "core/tcp/ecn_flags.h"
#include "core/tcp/forward_rto.h"
#include "core/tcp/pacer.h"
#include "core/tcp/proportional_rate_reduction.h"
#include "core/tcp/rack.h"
#include "core/tcp/rate_sampler.h"
#include "core/tcp/rtt_estimator.h"
#include "core/tcp/scoreboard.h"
#include "core/tcp/tail_loss_probe.h"
#include "core/tcp/undo.h"
#include "core/tcp/window_usage.h"
#include "core/time.h"

namespace clift::tcp {

struct SenderOptions {
  std::int64_t receiver_window = 1000;  // upper bound of packets from the first unacknowledged one on
  bool handshake = true;                // packet 0 is the SYN: other packets wait for its acknowledgement
  bool timestamps = true;               // the receiver echoes sending times
  EcnMode ecn = EcnMode::off;           // is offered in the handshake; without one it is agreed
};

struct Acknowledgement {
  Nanoseconds now_ns = 0;
  std::int64_t ack = 0;      // the first packet that the receiver lacks
  Nanoseconds echo_ns = -1;  // the echoed timestamp; -1: none
  std::int64_t window_end = 0;  // the first packet beyond the advertised window; 0: none is advertised
  // Selectively acknowledged [left, right), newest first; the first may be a DSACK (RFC 2883).
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
  int ace = 0;  // flags of ECN: in the handshake what the receiver agrees to, later the marks that it has met
};

struct SenderCounters {
  std::int64_t packets = 0;          // sent, retransmissions included
  std::int64_t retransmissions = 0;
  std::int64_t timeouts = 0;
  std::int64_t probes = 0;           // tail-loss probes
  std::int64_t recoveries = 0;       // fast recoveries
  std::int64_t undone = 0;           // reductions undone
  std::int64_t echoes_answered = 0;  // reductions for marks
};

class Sender {
 public:
  // Sends packet `sequence` now.
  using Transmit = std::function<void(std::int64_t sequence, bool is_retransmission)>;

  Sender(const SenderOptions& options, std::unique_ptr<CongestionControl> control, Transmit transmit);

  // The application has offered all packets before `end`, and takes back those behind it that were not sent yet; the
  // sender sends nothing before the first offer.
  void offer(Nanoseconds now_ns, std::int64_t end);

  void on_ack(const Acknowledgement& ack);

  // Flags of a packet that `Transmit` sends; called once for each.
  EcnFlags ecn_flags(std::int64_t sequence, bool is_retransmission);

  // Executes everything due by now. Call it no later than next_deadline_ns(), which every call may change.
  void on_timer(Nanoseconds now_ns);
  Nanoseconds next_deadline_ns() const;  // never: nothing is due

  std::int64_t una() const { return board_.una(); }
  std::int64_t next() const { return board_.next(); }
  std::int64_t in_flight() const { return board_.in_flight(); }
  double cwnd() const;  // in fast recovery the bound of proportional rate reduction
  std::int64_t ssthresh() const { return control_->ssthresh(); }
  double pacing_rate() const { return control_->pacing_rate(); }  // packets per second; 0: not paced
  RecoveryState state() const { return state_; }
  const RttEstimator& rtt() const { return rtt_; }
  const Scoreboard& scoreboard() const { return board_; }
  const Rack& rack() const { return rack_; }
  const SenderCounters& counters() const { return counters_; }
  CongestionControl& control() { return *control_; }

 private:
  // Effects of the current ACK so far.
  struct Progress {
    std::int64_t prior_una = 0;
    std::int64_t prior_in_flight = 0;
    std::int64_t prior_sacked = 0;
    std::int64_t lost = 0;               // marked by it
    std::int64_t dsack = -1;             // the packet that arrived twice; -1: none
    bool dsack_answers_probe = false;
    bool recovery_ends = false;
    Nanoseconds rtt_ns = -1;
    std::int64_t marked = 0;             // packets that it reports as marked
    bool has_echo = false;               // it reports a mark
  };

  bool is_handshake() const { return options_.handshake && board_.una() == 0; }
  bool recovers() const { return state_ == RecoveryState::recovery || state_ == RecoveryState::loss; }
  bool prr_governs() const { return state_ == RecoveryState::recovery && !control_->regulates_recovery(); }
  CongestionEvent event(std::int64_t in_flight) const;

  void update_scoreboard(const Acknowledgement& ack, Progress& progress);
  void sample_rtt(const Acknowledgement& ack, Progress& progress);
  void answer_probe(const Acknowledgement& ack, const Progress& progress);
  void agree_on_ecn(const Acknowledgement& ack);
  void read_marks(const Acknowledgement& ack, Progress& progress);
  void answer_echo(Nanoseconds now_ns, const Progress& progress);
  void reduce_at_once(Nanoseconds now_ns, const CongestionEvent& event);
  void note_reduction();
  void follow_timeout(const Acknowledgement& ack, Progress& progress);
  void look_for_undo(const Acknowledgement& ack, Progress& progress);
  void undo(Nanoseconds now_ns, Progress& progress);
  void end_recovery(Nanoseconds now_ns, Progress& progress);
  void detect_losses(Nanoseconds now_ns, Progress& progress);
  void respond_to_losses(const Progress& progress, bool by_timer);
  void report(const Acknowledgement& ack, const Progress& progress, const RateSample& rate);
  void restart_timers(const Acknowledgement& ack, const Progress& progress);
  bool reports_older_than_first() const;

  void mark_lost(Nanoseconds now_ns, std::int64_t sequence);
  void on_retransmission_timeout(Nanoseconds now_ns);
  void on_probe_timeout(Nanoseconds now_ns);
  void on_reordering_timeout(Nanoseconds now_ns);
  bool tail_needs_probe() const;
  void arm_probe(Nanoseconds now_ns);

  void check_application();
  void send_what_may(Nanoseconds now_ns);
  std::int64_t window_end() const;
  bool has_new() const;  // the application has unsent packets and the receiver's window admits one
  void send(Nanoseconds now_ns, std::int64_t sequence);

  SenderOptions options_;
  std::unique_ptr<CongestionControl> control_;
  Transmit transmit_;

  Scoreboard board_;
  RttEstimator rtt_;
  RateSampler sampler_;
  Rack rack_;
  TailLossProbe probe_;
  ProportionalRateReduction prr_;
  ForwardRto frto_;
  UndoDetector undo_;
  Pacer pacer_;
  WindowUsage usage_;
  SenderCounters counters_;

  RecoveryState state_ = RecoveryState::open;
  std::int64_t offered_ = 0;
  std::int64_t advertised_end_ = 0;  // the first packet beyond the advertised window; 0: none was advertised
  std::int64_t recovery_point_ = 0;  // recovery ends when all packets before it are acknowledged
  EcnMode offered_ecn_ = EcnMode::off;  // by the last SYN
  EcnMode ecn_ = EcnMode::off;       // that both ends use
  std::int64_t ce_count_ = first_ce_count;  // of packets that AccECN has reported
  double marked_share_ = 0.0;        // of the last packets, about 64
  Nanoseconds answered_ns_ = 0;      // the last reduction for a mark; with one at least
  bool tells_reduction_ = false;     // in the next new packet
  std::int64_t reduction_end_ = 0;   // packets before it were sent before the last reduction
  std::int64_t round_end_ = 0;       // a round of the RTT estimator ends when an ACK passes it
  int timeouts_since_advance_ = 0;
  int forward_budget_ = 0;           // new packets that F-RTO sends beyond the window
  Nanoseconds last_sent_ns_ = -1;    // -1: nothing was sent

  Nanoseconds timeout_ns_ = never;     // deadlines
  Nanoseconds probe_ns_ = never;
  Nanoseconds reordering_ns_ = never;
  Nanoseconds pacing_ns_ = never;

  // Buffers of the current ACK, kept to save allocations.
  std::vector<DeliveredPacket> delivered_;
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks_;  // without a DSACK, in order
};

}  // namespace clift::tcp
