// The schemes of `Queue/Clift/Online`, and the options that each makes of the queue's variables.
#include "online_queue.h"

#include "random.h"

#include "failure.h"

namespace clift {

using online::at;

const OnlineQueue::Scheme OnlineQueue::schemes_[] = {
    {"none", &OnlineQueue::choose_none, true},
    {"fec", &OnlineQueue::choose_fec, true},
    {"arq", &OnlineQueue::choose_arq, true},
    {"harq", &OnlineQueue::choose_harq, true},
    {"hybrid", &OnlineQueue::choose_hybrid},
    {"go-back-n", &OnlineQueue::choose_go_back_n},
    {"harq-processes", &OnlineQueue::choose_harq_processes, true, true},
    {"sliding-window", &OnlineQueue::choose_sliding_window, true},
    {"tetrys", &OnlineQueue::choose_tetrys, true, true},
};

void OnlineQueue::choose_scheme(const std::string& name) {
  std::string allowed;
  for (const bool has_rlc : {false, true}) {
    for (const Scheme& scheme : schemes_) {
      if (has_rlc && !scheme.goes_below_rlc) continue;
      const bool is_rlc_alone = has_rlc && scheme.choose == &OnlineQueue::choose_none;
      const std::string own = is_rlc_alone ? "rlc" : (has_rlc ? "rlc-over-" : "") + std::string(scheme.name);
      if (name == own) {
        scheme_ = &scheme;
        has_rlc_ = has_rlc;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + own;
    }
  }
  fail(name_ + ": scheme is " + name + "; allowed are " + allowed);
}

void OnlineQueue::choose_none(LinkLayerOptions&) const {}

void OnlineQueue::choose_blocks(LinkLayerOptions& options) const {
  options.data = count<at("data_")>();
  options.repair = count<at("repair_")>();
  if (options.depth * (options.data + options.repair) > 65535) {
    refuse("repair_", static_cast<double>(options.repair),
           "a number with which a run, depth_ x (data_ + repair_), has at most 65535 units");
  }
}

void OnlineQueue::choose_fec(LinkLayerOptions& options) const {
  options.depth = count<at("depth_")>();
  choose_blocks(options);
}

void OnlineQueue::choose_arq(LinkLayerOptions& options) const { options.recovery = Recovery::repeat; }

void OnlineQueue::choose_harq(LinkLayerOptions& options) const {
  choose_blocks(options);
  options.recovery = Recovery::extend;
  options.extra = count<at("extra_")>();
  options.repetitions = count<at("rounds_")>();
}

void OnlineQueue::choose_hybrid(LinkLayerOptions& options) const {
  choose_blocks(options);
  options.framing = Framing::packet;
  options.recovery = Recovery::repeat;
  options.repetitions = count<at("persistency_")>();
}

void OnlineQueue::choose_go_back_n(LinkLayerOptions& options) const {
  choose_blocks(options);
  const Nanoseconds feedback_ns = options.rtt_ns + options.detection_delay_ns;
  const Nanoseconds timeout_ns = time<at("timeout_")>();
  if (timeout_ns != 0 && timeout_ns < feedback_ns) {
    refuse("timeout_", to_seconds(timeout_ns),
           ("0 (the feedback's time) or at least that, " + shown(to_seconds(feedback_ns)) + " s").c_str());
  }
  options.framing = Framing::packet;
  options.recovery = Recovery::go_back;
  options.repetitions = count<at("persistency_")>();
  options.window = count<at("window_")>();
  options.timeout_ns = timeout_ns != 0 ? timeout_ns : feedback_ns;
}

void OnlineQueue::choose_sliding_window(LinkLayerOptions& options) const {
  options.sliding_window =
      SlidingWindowOptions{count<at("coding_window_")>(), count<at("repair_interval_")>(), false};
}

void OnlineQueue::choose_tetrys(LinkLayerOptions& options) const {
  options.sliding_window = SlidingWindowOptions{count<at("coding_window_")>(), count<at("repair_interval_")>(), true};
}

void OnlineQueue::choose_harq_processes(LinkLayerOptions& options) const {
  HarqProcessesOptions chosen;
  chosen.copies = count<at("repetitions_")>();
  chosen.synchronous = flag<at("synchronous_")>();
  if (chosen.synchronous && !trace_) refuse("synchronous_", 1, "0 without a trace");
  const int combining = count<at("combining_")>();
  if (combining != 0 && !trace_) refuse("combining_", combining, "0 without a trace");
  if (combining != 0 && !trace_->rows().have_es_n0()) {
    fail(trace_->path() + ": there is no column es_n0_mdb, which combining_ " + shown(combining) + " needs");
  }
  chosen.combining = static_cast<Combining>(combining);
  if (combining != 0) chosen.combining_threshold_db = real<at("combining_threshold_db_")>();
  chosen.processes = count<at("processes_")>();
  chosen.slot_time_ns = time<at("slot_time_")>();
  chosen.missed_feedback = real<at("missed_feedback_")>();
  chosen.false_feedback = real<at("false_feedback_")>();
  if (chosen.missed_feedback + chosen.false_feedback > 1.0) {
    refuse("false_feedback_", chosen.false_feedback, "at most 1 together with missed_feedback_");
  }
  chosen.faults = [] { return Random::uniform(); };
  options.harq_processes = chosen;
}

void OnlineQueue::choose_rlc(LinkLayerOptions& options) const {
  RlcOptions chosen;
  chosen.acknowledged = flag<at("acknowledged_")>();
  chosen.in_order = flag<at("segments_in_order_")>() || !chosen.acknowledged;
  chosen.max_retransmissions = count<at("max_retransmissions_")>();
  chosen.window = count<at("rlc_window_")>();
  chosen.poll_pdus = count<at("poll_pdus_")>();
  chosen.reassembly_ns = time<at("reassembly_")>();
  chosen.status_prohibit_ns = time<at("status_prohibit_")>();
  chosen.poll_retransmit_ns = time<at("poll_retransmit_")>();
  if (chosen.poll_retransmit_ns == 0) {
    const Nanoseconds timers_ns = sum_of(chosen.reassembly_ns, chosen.status_prohibit_ns);
    chosen.poll_retransmit_ns = sum_of(product_of(2, options.rtt_ns), timers_ns);
  }
  options.rlc = chosen;
}

}  // namespace clift
