// The receiving entity of radio link control (TS 38.322).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/online/rlc_options.h"
#include "core/time.h"

namespace clift {

struct StatusReport {
  Nanoseconds made_ns;
  std::int64_t ack_sn;  // it acknowledges or NACKs the segments before this one
};

struct SettledSegment {
  std::int64_t sn;
  Nanoseconds time_ns;
  bool delivered;
};

// Reorders segments, watches gaps with a timer, and makes status reports. Calls come in order of time. The variables
// have the names of the standard. Sequence numbers do not wrap.
class RlcReceiver {
 public:
  explicit RlcReceiver(const RlcOptions& options) : options_(options) {}

  // A segment arrives, maybe with a poll.
  void take(std::int64_t sn, bool poll, Nanoseconds now_ns);

  // The sender has given up a segment.
  void skip(std::int64_t sn, Nanoseconds now_ns);

  Nanoseconds reassembly_due_ns() const { return reassembly_due_ns_; }
  void end_reassembly();

  // When the status report that has been triggered is made: at once, or when t-StatusProhibit has ended.
  Nanoseconds status_due_ns() const { return status_due_ns_; }
  void report();

  // Answers a poll that has waited for earlier segments; called after each of the events above.
  void answer_waiting_poll(Nanoseconds now_ns);

  // The first missing segment.
  std::int64_t next() const { return rx_next_; }

  // When a segment arrived or was given up; `never` if neither.
  Nanoseconds settled_ns(std::int64_t sn) const;

  // Forgets when the segments before this one were settled.
  void forget_before(std::int64_t sn);

  // The segments whose fates have been settled since the last call.
  std::vector<SettledSegment> take_settled();

  // The status reports that the sender has not taken, in order of time.
  const std::deque<StatusReport>& reports() const { return reports_; }
  StatusReport take_report();

 private:
  void settle(std::int64_t sn, Nanoseconds now_ns, bool arrived);
  void watch_gaps(Nanoseconds now_ns);
  void start_reassembly(std::int64_t reported, Nanoseconds now_ns);
  void trigger_status(Nanoseconds now_ns);
  std::int64_t first_missing_from(std::int64_t sn) const;

  struct Entry {
    Nanoseconds settled_ns = never;
    bool arrived = false;
  };

  const RlcOptions options_;
  std::deque<Entry> entries_;              // of the segments from first_ on
  std::int64_t first_ = 0;
  std::int64_t rx_next_ = 0;               // the first missing segment
  std::int64_t rx_next_highest_ = 0;       // behind the last segment that has arrived
  std::int64_t rx_highest_status_ = 0;     // the first segment that no status report mentions yet
  std::int64_t rx_next_status_trigger_ = 0;  // behind the segment that started t-Reassembly
  Nanoseconds reassembly_due_ns_ = never;  // end of t-Reassembly
  Nanoseconds prohibited_until_ns_ = 0;    // end of t-StatusProhibit
  Nanoseconds status_due_ns_ = never;      // never: none is triggered
  std::int64_t waiting_poll_ = -1;         // segment of a poll that waits; -1: none
  std::deque<StatusReport> reports_;
  std::vector<SettledSegment> settled_;
};

}  // namespace clift
