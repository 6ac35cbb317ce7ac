// The sending entity of radio link control (TS 38.322).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/online/rlc_options.h"
#include "core/online/rlc_receiver.h"
#include "core/time.h"

namespace clift {

// Numbers segments, retransmits NACKed ones, and polls. The variables have the names of the standard. Sequence numbers
// do not wrap.
class RlcSender {
 public:
  explicit RlcSender(const RlcOptions& options) : options_(options) {}

  // Whether the window has no room for a new segment.
  bool is_full() const { return options_.acknowledged && tx_next_ >= tx_next_ack_ + options_.window; }

  // Whether a segment waits for a retransmission.
  bool has_repeats() const { return waiting_ > 0; }

  // A new segment with bytes of these packets; returns its sequence number.
  std::int64_t begin(const std::vector<std::int64_t>& packets);

  // Takes the first segment that waits for a retransmission, which must exist.
  std::int64_t repeat();

  // Whether the segment that has just been sent, by `sent_ns`, has a poll; `has_more`: the queue holds data.
  bool polls(Nanoseconds sent_ns, bool has_more);

  // Whether that depends on `has_more`.
  bool poll_depends_on_queue() const;

  Nanoseconds poll_due_ns() const { return poll_due_ns_; }
  void end_poll_timer(bool has_more);

  // Learns from a status report; the receiver, whose state it needs, hears of segments that are given up.
  void take(const StatusReport& report, Nanoseconds now_ns, RlcReceiver& receiver);

  // The first segment that is neither acknowledged nor given up.
  std::int64_t next_ack() const { return tx_next_ack_; }

  const std::vector<std::int64_t>& packets(std::int64_t sn) const { return at(sn).packets; }

  // Forgets the segments before this one.
  void forget_before(std::int64_t sn);

 private:
  struct Segment {
    std::vector<std::int64_t> packets;
    std::int64_t sent;  // transmissions
    bool waits;         // for a retransmission
    bool given_up;
  };

  Segment& at(std::int64_t sn) { return segments_[static_cast<std::size_t>(sn - first_)]; }
  const Segment& at(std::int64_t sn) const { return segments_[static_cast<std::size_t>(sn - first_)]; }
  void let_wait(std::int64_t sn);

  const RlcOptions options_;
  std::deque<Segment> segments_;       // from first_ on
  std::int64_t first_ = 0;
  std::int64_t tx_next_ = 0;           // number of the next new segment
  std::int64_t tx_next_ack_ = 0;
  std::deque<std::int64_t> repeats_;   // in order of the NACKs; some do not wait any more
  std::int64_t waiting_ = 0;           // segments that wait for a retransmission
  std::int64_t pdu_without_poll_ = 0;  // new segments since the last poll
  std::int64_t poll_sn_ = -1;          // newest segment at the last poll
  Nanoseconds poll_due_ns_ = never;    // end of t-PollRetransmit
  bool poll_now_ = false;              // the next segment has a poll
};

}  // namespace clift
