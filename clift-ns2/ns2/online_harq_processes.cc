// The variables of `Queue/Clift/Online` for scheme harq-processes.
#include "online_queue.h"

#include "random.h"

namespace clift {

void OnlineQueue::bind_harq_processes() {
  bind("processes_", &harq_processes_.processes_);
  bind_bool("synchronous_", &harq_processes_.synchronous_);
  bind_time("slot_time_", &harq_processes_.slot_time_);
  bind("repetitions_", &harq_processes_.repetitions_);
  bind("combining_", &harq_processes_.combining_);
  bind("combining_threshold_db_", &harq_processes_.combining_threshold_db_);
  bind("missed_feedback_", &harq_processes_.missed_feedback_);
  bind("false_feedback_", &harq_processes_.false_feedback_);
}

void OnlineQueue::choose_harq_processes(LinkLayerOptions& options) const {
  const auto& [processes, synchronous, repetitions, combining, slot_time, threshold_db, missed, inverted] =
      harq_processes_;
  if (repetitions < 0 || repetitions > 65535) refuse("repetitions_", repetitions, "1 to 65535, or 0 (feedback on)");
  if (synchronous != 0 && !trace_) refuse("synchronous_", synchronous, "0 without a trace");
  if (combining < 0 || combining > 2) refuse("combining_", combining, "0 (none), 1 (chase) or 2 (incremental)");
  if (combining != 0 && !trace_) refuse("combining_", combining, "0 without a trace");
  if (combining != 0 && !trace_->rows().have_es_n0()) {
    fail(trace_->path() + ": there is no column es_n0_mdb, which combining_ " + shown(combining) + " needs");
  }
  if (combining != 0 && !lies_within(threshold_db, -100.0, 100.0)) {
    refuse("combining_threshold_db_", threshold_db, "-100 to 100, in dB, which combining_ needs (-1000: not set)");
  }
  HarqProcessesOptions chosen;
  chosen.processes = checked_count("processes_", processes, 1, 65535);
  chosen.synchronous = synchronous != 0;
  chosen.slot_time_ns = checked_time("slot_time_", slot_time, "0 (no gaps) or a time in seconds");
  chosen.copies = repetitions;
  chosen.combining = static_cast<Combining>(combining);
  chosen.combining_threshold_db = threshold_db;
  chosen.missed_feedback = probability("missed_feedback_", missed);
  chosen.false_feedback = probability("false_feedback_", inverted);
  if (missed + inverted > 1.0) refuse("false_feedback_", inverted, "at most 1 together with missed_feedback_");
  chosen.faults = [] { return Random::uniform(); };
  options.harq_processes = chosen;
}

}  // namespace clift
