#include "link_queue.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "flags.h"
#include "ip.h"

#include "core/input_error.h"
#include "core/setting_table.h"
#include "failure.h"

namespace clift {

// The same for all packets of a flow: a mix of addresses and ports.
std::uint32_t LinkQueue::flow_hash_of(Packet* packet) {
  const hdr_ip& ip = *hdr_ip::access(packet);
  std::uint64_t hash = 0;
  for (const std::int32_t part : {ip.src_.addr_, ip.src_.port_, ip.dst_.addr_, ip.dst_.port_}) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

LinkQueue::LinkQueue(const char* name) : name_(name) {
  pq_ = &packets_;
  bind_bool("loop_", &loop_);
  bind_time("begin_", &begin_);
  bind_time("length_", &length_);
  bind_time("offset_", &offset_);
  bind_bool("packed_", &packed_);
  bind_bool("in_order_", &in_order_);
  bind_time("hold_", &hold_);
  bind("limit_bytes_", &limit_bytes_);
  bind_time("limit_time_", &limit_time_);
  bind_bool("limit_counts_sending_", &limit_counts_sending_);
  bind_time("rtt_offset_", &rtt_offset_);
  bind_bool("overtaking_", &overtaking_);
}

int LinkQueue::command(int argc, const char* const* argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (argc == 2 && what == "counters") {
    Counters counters;
    add(counters, "packets_arrived", counts_.arrived);
    add(counters, "packets_overflowed", counts_.overflowed);
    add(counters, "packets_delivered", counts_.delivered);
    add(counters, "packets_lost", counts_.lost);
    add(counters, "packets_unsettled", counts_.unsettled);
    add(counters, "packets_queued", queued());
    add(counters, "bytes_delivered", counts_.delivered_bytes);
    add_counters(counters);
    add(counters, "packets_aqm_dropped", counts_.aqm_dropped);
    add(counters, "packets_marked", counts_.marked);
    Tcl::instance().resultf("%s", counters.c_str());
    return TCL_OK;
  }
  if (argc == 3 && what == "load") {
    load(argv[2]);
    return TCL_OK;
  }
  if (argc == 3 && what == "rtt-series") {
    try {
      rtt_series_.emplace(read_rtt_series(argv[2]));
    } catch (const InputError& error) {
      fail(error.what());
    }
    return TCL_OK;
  }
  if (argc == 3 && what == "discipline") {
    choose_discipline(argv[2]);
    return TCL_OK;
  }
  if (argc == 3 && what == "recorder") {
    recorder_ = Recorder::called(argv[2]);
    return TCL_OK;
  }
  if (argc == 3 && (what == "lost-target" || what == "unsettled-target")) {
    auto* target = dynamic_cast<NsObject*>(TclObject::lookup(argv[2]));
    if (target == nullptr) clift::refuse(name_ + ": " + what, argv[2], "an object that takes packets");
    (what == "lost-target" ? end_lost_ : end_unsettled_).target = target;
    return TCL_OK;
  }
  return Queue::command(argc, argv);
}

void LinkQueue::choose_discipline(const char* words) {
  try {
    discipline_ = DisciplineChoice::of(words);
    is_droptail_ = discipline_.is_droptail();
    hashes_flows_ = discipline_.tells_flows_apart();
  } catch (const SettingError& error) {
    fail(name_ + ": " + error.what());
  }
}

QueueOptions LinkQueue::queue_options() const {
  constexpr double most_bytes = 1e15;
  checked_count("limit_", qlim_, 1);
  QueueOptions options;
  options.discipline = discipline_;
  options.limits.packets = qlim_;
  if (!lies_within(limit_bytes_, 0.0, most_bytes)) refuse("limit_bytes_", limit_bytes_, "0 (no limit) to 1e15");
  if (limit_bytes_ > 0) options.limits.bytes = static_cast<std::int64_t>(limit_bytes_);
  const Nanoseconds time_ns = checked_time("limit_time_", limit_time_, "0 (no limit) or a time in seconds");
  if (time_ns > 0) options.limits.time_ns = time_ns;
  options.limits_count_sending = limit_counts_sending_ != 0;
  return options;
}

void LinkQueue::settle(Packet* packet, Fate fate, Nanoseconds link_ns, Handler* next, double delay_s) {
  counts_.settle(fate, hdr_cmn::access(packet)->size());
  if (rtt_series_) return settle_by_series(packet, fate, link_ns, next);
  schedule_end(packet, fate, link_ns, next, delay_s);
}

void LinkQueue::settle_by_series(Packet* packet, Fate fate, Nanoseconds link_ns, Handler* next) {
  schedule_end(packet, fate, propagation().arrival_ns(link_ns), next, 0.0);
}

void LinkQueue::schedule_end(Packet* packet, Fate fate, Nanoseconds link_ns, Handler* next, double delay_s) {
  const double wait_s = delay_to(to_seconds(link_ns) + delay_s);
  if (fate != Fate::delivered) {
    return Scheduler::instance().schedule(fate == Fate::lost ? &end_lost_ : &end_unsettled_, packet, wait_s);
  }
  const bool is_simultaneous = std::exchange(last_arrival_ns_, link_ns) == link_ns;
  if (is_simultaneous && time_after(wait_s) < last_arrival_s_) return schedule_behind_last(packet, next);
  schedule_arrival(packet, next, wait_s);
}

void LinkQueue::schedule_behind_last(Packet* packet, Handler* next) {
  schedule_arrival(packet, next, delay_to_reach(last_arrival_s_));
}

// Made with the first packet, when a script has set all variables.
Propagation& LinkQueue::propagation() {
  if (!propagation_) {
    PropagationOptions options;
    options.offset_ns = checked_time("rtt_offset_", rtt_offset_, "a time in seconds, from 0", longest_time_ns);
    options.loop = loop_ != 0;
    options.overtaking = overtaking_ != 0;
    propagation_.emplace(*rtt_series_, options);
  }
  return *propagation_;
}

void LinkQueue::End::handle(Event* event) {
  auto* packet = static_cast<Packet*>(event);
  if (queue_.recorder_ != nullptr) queue_.recorder_->met(packet, event_);
  if (target != nullptr) {
    target->recv(packet);
  } else {
    Packet::free(packet);
  }
}

void LinkQueue::drop_for(DropCause cause, Packet* packet) {
  counts_.drop(cause);
  if (packet == last_taken_) last_taken_ = nullptr;
  if (recorder_ != nullptr) recorder_->met(packet, event_of(cause));
  drop(packet);
}

void LinkQueue::mark(Packet* packet) {
  ++counts_.marked;
  hdr_flags::access(packet)->ce() = 1;
  if (recorder_ != nullptr) recorder_->met(packet, schema::PacketEvent::marked);
}

void LinkQueue::Carrier::handle(Event*) {
  fail(queue_.name_ + ": no DelayLink follows the queue; use the queue in simplex-link or duplex-link");
}

bool LinkQueue::Carrier::carries(Packet* packet, Handler* next, double delay) {
  queue_.carry(packet, next, delay);
  return true;
}

void LinkQueue::refuse(const char* variable, double value, const char* allowed) const {
  clift::refuse(name_ + ": " + variable, shown(value), allowed);
}

int LinkQueue::checked_count(const char* variable, int value, int least, int most) const {
  if (value >= least && value <= most) return value;
  const bool is_bounded = most < std::numeric_limits<int>::max();
  refuse(variable, value, (std::to_string(least) + (is_bounded ? " to " + std::to_string(most) : " or more")).c_str());
}

Nanoseconds LinkQueue::checked_time(const char* variable, double seconds, const char* allowed,
                                    Nanoseconds most_ns) const {
  const double most_s = std::floor(to_seconds(most_ns));
  if (!lies_within(seconds, 0.0, most_s)) refuse(variable, seconds, (allowed + (", at most " + shown(most_s))).c_str());
  return to_ns(seconds);
}

template <class File>
std::unique_ptr<File> LinkQueue::opened(const char* path, bool has_begun) const {
  if (has_begun) fail(name_ + ": load " + path + ": the simulation has begun; load the trace before packets arrive");
  try {
    return std::make_unique<File>(path);
  } catch (const InputError& error) {
    fail(error.what());
  }
}

template <class Row>
Playback LinkQueue::checked_playback(const TraceFile<Row>& trace) const {
  Playback playback;
  playback.begin_ns = checked_time("begin_", begin_, "a time in seconds, from 0", longest_time_ns);
  playback.length_ns =
      checked_time("length_", length_, "0 (the rows tell it) or a time in seconds", longest_time_ns);
  playback.offset_ns = checked_time("offset_", offset_, "a time in seconds, from 0", longest_time_ns);
  playback.loop = loop_ != 0;
  // A double does not hold times of years to the nanosecond, and rows may begin at the very beginning.
  const Nanoseconds first_ns = trace.rows()[0].tx_time_ns;
  const double first_s = to_seconds(first_ns);
  const bool begins_with_row = std::fabs(begin_ - first_s) <= first_s * std::numeric_limits<double>::epsilon();
  if (playback.length_ns > 0 && begins_with_row) playback.begin_ns = first_ns;
  try {
    check_playback(trace, playback);
  } catch (const InputError& error) {
    fail(error.what());
  }
  return playback;
}

template <class Row>
void LinkQueue::say_stopped(const TraceFile<Row>& trace) {
  if (stopped_at_ns_ >= 0) return;
  const Playback playback = checked_playback(trace);
  stopped_at_ns_ = playback.end_ns(trace.rows().last_tx_ns()) - playback.start_ns();
  std::fprintf(stderr, "%s: the trace ends at %s s of simulated time; the link stops there (loop_ is 0)\n",
               trace.path().c_str(), shown(to_seconds(stopped_at_ns_)).c_str());
}

template std::unique_ptr<LinkTraceFile> LinkQueue::opened(const char*, bool) const;
template std::unique_ptr<PhyTraceFile> LinkQueue::opened(const char*, bool) const;
template Playback LinkQueue::checked_playback(const LinkTraceFile&) const;
template Playback LinkQueue::checked_playback(const PhyTraceFile&) const;
template void LinkQueue::say_stopped(const LinkTraceFile&);
template void LinkQueue::say_stopped(const PhyTraceFile&);

void LinkQueue::add(Counters& counters, const char* name, std::int64_t value) {
  counters += (counters.empty() ? "" : " ") + std::string(name) + " " + std::to_string(value);
}

void LinkQueue::add_use(Counters& counters, const RowUse& use, std::optional<std::int64_t> stalled) const {
  add(counters, "rows_offered", use.offered);
  add(counters, "rows_used", use.used);
  add(counters, "rows_unused", use.offered - use.used);
  if (stalled) add(counters, "rows_stalled", *stalled);
  add(counters, "bytes_offered", use.offered_bytes);
  add(counters, "bytes_used", use.used_bytes);
  add(counters, "trace_repeats", use.repeats);
  add(counters, "stopped_at_ns", stopped_at_ns_);
}

}  // namespace clift
