#include "online_queue.h"

#include <cstring>

#include "delay.h"
#include "random.h"

#include "failure.h"
#include "named_class.h"

namespace clift {

namespace {

NamedClass<OnlineQueue> online_queue_class("Queue/Clift/Online");

constexpr const char* schemes[] = {
    "none", "fec", "arq", "harq", "hybrid", "go-back-n", "harq-processes", "sliding-window", "tetrys", "rlc",
    "rlc-over-fec", "rlc-over-arq", "rlc-over-harq", "rlc-over-harq-processes", "rlc-over-sliding-window",
    "rlc-over-tetrys"};

Packet* packet_of(const QueuedPacket& packet) { return static_cast<Packet*>(packet.handle); }

}  // namespace

OnlineQueue::OnlineQueue() : LinkQueue("Queue/Clift/Online") {
  bind("unit_bytes_", &unit_bytes_);
  bind("data_", &data_);
  bind("repair_", &repair_);
  bind("depth_", &depth_);
  bind("extra_", &extra_);
  bind("rounds_", &rounds_);
  bind("max_transmissions_", &max_transmissions_);
  bind("persistency_", &persistency_);
  bind("window_", &window_);
  bind("coding_window_", &coding_window_);
  bind("repair_interval_", &repair_interval_);
  bind_time("timeout_", &timeout_);
  bind_time("detection_delay_", &detection_delay_);
  bind_time("processing_", &processing_);
  bind("alpha_", &alpha_);
  bind("beta_", &beta_);
  bind("error_good_", &error_good_);
  bind("error_bad_", &error_bad_);
  bind_harq_processes();
  bind_rlc();
}

int OnlineQueue::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "scheme") == 0) {
    std::string allowed;
    for (const char* name : schemes) {
      if (std::strcmp(argv[2], name) == 0) {
        scheme_ = name;
        return TCL_OK;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    }
    fail(name_ + ": scheme is " + argv[2] + "; allowed are " + allowed);
  }
  return LinkQueue::command(argc, argv);
}

void OnlineQueue::load(const char* path) { trace_ = opened<PhyTraceFile>(path, layer_ != nullptr); }

void OnlineQueue::reset() {
  departure_.cancel();
  waking_.cancel();
  wake_ns_ = never;
  for (const Departure& departure : departures_) overflow(packet_of(departure.packet));
  departures_.clear();
  if (layer_) {
    for (const QueuedPacket& packet : layer_->ledger().take_all(now_ns())) overflow(packet_of(packet));
  }
  Queue::reset();
  for (const auto& [number, way] : under_way_) overflow(way.packet);
  under_way_.clear();
  ahead_.clear();
  departed_ = 0;
  layer_.reset();
  layer();
}

// Makes the link layer when the simulation begins: then the script has set all variables, and the link exists.
LinkLayer& OnlineQueue::layer() {
  if (!layer_) {
    LinkDelay* link = nullptr;
    for (NsObject* next = target_; next != nullptr && link == nullptr;) {
      link = dynamic_cast<LinkDelay*>(next);
      const auto connector = dynamic_cast<Connector*>(next);
      next = connector != nullptr ? connector->target() : nullptr;
    }
    if (link == nullptr) fail(name_ + ": no DelayLink follows the queue; use the queue in simplex-link or duplex-link");
    delay_s_ = link->delay();
    rate_bps_ = link->bandwidth();
    const LinkLayerOptions chosen = options();
    slots_ = make_slots();
    layer_ = make_link_layer(chosen, *slots_);
  }
  return *layer_;
}

LinkLayerOptions OnlineQueue::options() const {
  LinkLayerOptions options;
  options.queue = queue_options();
  options.uniform = [] { return Random::uniform(); };
  checked_count("unit_bytes_", unit_bytes_, 1);
  options.packing = packing();
  checked_time("the link's delay_", delay_s_, "a time in seconds, from 0");
  options.rtt_ns = to_ns(2.0 * delay_s_);
  options.detection_delay_ns = checked_time("detection_delay_", detection_delay_, "a time in seconds, from 0");
  options.resequencer.in_order = in_order_ != 0;
  options.resequencer.hold_ns = checked_time("hold_", hold_, "0 (no bound) or a time in seconds", longest_time_ns);
  choose(options);
  if (options.packing == Packing::packed && options.framing == Framing::packet) {
    refuse("packed_", packed_, ("0 with scheme " + scheme_ + ", whose blocks hold units of one packet").c_str());
  }
  return options;
}

// Sets the options of the scheme and its parameters.
void OnlineQueue::choose(LinkLayerOptions& options) const {
  const auto blocks = [&](int depth = 1) {
    options.data = checked_count("data_", data_, 1);
    options.repair = checked_count("repair_", repair_, 0);
    options.depth = checked_count("depth_", depth, 1);
    if (options.depth * (options.data + options.repair) > 65535) {
      refuse("repair_", repair_, "a number with which a run, depth_ x (data_ + repair_), has at most 65535 units");
    }
  };
  if (persistency_ < -1) refuse("persistency_", persistency_, "0 or more, or -1 (unlimited)");
  if (max_transmissions_ < 0) refuse("max_transmissions_", max_transmissions_, "1 or more, or 0 (unlimited)");
  options.repetitions = max_transmissions_ - 1;
  options.framing = Framing::stream;
  const std::string over = "rlc-over-";
  const std::string scheme = scheme_.compare(0, over.size(), over) == 0 ? scheme_.substr(over.size()) : scheme_;
  if (scheme == "fec") {
    blocks(depth_);
  } else if (scheme == "arq") {
    options.recovery = Recovery::repeat;
  } else if (scheme == "harq") {
    blocks();
    options.recovery = Recovery::extend;
    options.extra = checked_count("extra_", extra_, 0, 65535);
    options.repetitions = checked_count("rounds_", rounds_, 0);
  } else if (scheme == "hybrid") {
    blocks();
    options.framing = Framing::packet;
    options.recovery = Recovery::repeat;
    options.repetitions = persistency_;
  } else if (scheme == "go-back-n") {
    blocks();
    const Nanoseconds feedback_ns = options.rtt_ns + options.detection_delay_ns;
    const Nanoseconds timeout_ns = checked_time("timeout_", timeout_, "0 (the feedback's time) or a time in seconds");
    if (timeout_ns != 0 && timeout_ns < feedback_ns) {
      refuse("timeout_", timeout_, ("0 (the feedback's time) or at least that, " +
                                    shown(to_seconds(feedback_ns)) + " s").c_str());
    }
    options.framing = Framing::packet;
    options.recovery = Recovery::go_back;
    options.repetitions = persistency_;
    options.window = checked_count("window_", window_, 1);
    options.timeout_ns = timeout_ns != 0 ? timeout_ns : feedback_ns;
  } else if (scheme == "harq-processes") {
    choose_harq_processes(options);
  } else if (scheme == "sliding-window" || scheme == "tetrys") {
    options.sliding_window = SlidingWindowOptions{checked_count("coding_window_", coding_window_, 1, 1024),
                                                  checked_count("repair_interval_", repair_interval_, 1, 65535),
                                                  scheme == "tetrys"};
  }
  if (has_rlc()) choose_rlc(options);
}

std::unique_ptr<SlotSource> OnlineQueue::make_slots() {
  const Nanoseconds processing_ns = checked_time("processing_", processing_, "a time in seconds, from 0");
  if (trace_) {
    if (processing_ns != 0) refuse("processing_", processing_, "0 with a trace, whose slots are as they are");
    return std::make_unique<TraceSlots>(trace_->rows(), unit_bytes_, checked_playback(*trace_));
  }
  const ChannelOptions channel{probability("alpha_", alpha_), probability("beta_", beta_),
                               probability("error_good_", error_good_), probability("error_bad_", error_bad_)};
  if (alpha_ == 1.0 && beta_ == 1.0) refuse("beta_", beta_, "less than 1 where alpha_ is 1");
  if (!lies_within(rate_bps_, 1.0, 1e18)) refuse("the link's bandwidth_", rate_bps_, "a rate of 1 bit/s or more");
  const double unit_ns = 8e9 * unit_bytes_ / rate_bps_ + static_cast<double>(processing_ns);
  return std::make_unique<RateSlots>(unit_bytes_, unit_ns, channel, [] { return Random::uniform(); });
}

double OnlineQueue::probability(const char* variable, double value) const {
  if (!lies_within(value, 0.0, 1.0)) refuse(variable, value, "a probability, from 0 to 1");
  return value;
}

void OnlineQueue::take(Packet* packet) {
  layer().ledger().discipline().limit_packets(qlim_);
  layer_->offer(queued_packet(packet));
  follow_up();
}

void OnlineQueue::wake() {
  wake_ns_ = never;
  layer_->run(now_ns());
  follow_up();
}

// Schedules departures, ends and the next wake of the link layer.
void OnlineQueue::follow_up() {
  if (trace_ && layer_->stopped()) say_stopped(*trace_);
  const bool idle = departures_.empty();
  for (const Departure& departure : layer_->take_departures()) departures_.push_back(departure);
  if (idle && !departures_.empty()) departure_.set(departures_.front().time_ns);
  for (const Release& release : layer_->take_released()) {
    if (release.packet < departed_) {
      finish(release.packet, release);
    } else {
      ahead_.emplace(release.packet, release);
    }
  }
  if (layer_->wake_ns() != wake_ns_) {
    waking_.cancel();
    wake_ns_ = layer_->wake_ns();
    if (wake_ns_ != never) waking_.set(wake_ns_);
  }
  take_dropped();
}

void OnlineQueue::take_dropped() {
  Discipline& discipline = layer_->ledger().discipline();
  if (discipline.dropped().empty()) return;
  // Dropping a packet may call the queue again.
  const std::vector<DroppedPacket> all = discipline.dropped();
  discipline.clear_dropped();
  for (const DroppedPacket& dropped : all) drop_for(dropped.cause, packet_of(dropped.packet));
}

void OnlineQueue::depart() {
  const QueuedPacket departing = departures_.front().packet;
  departures_.pop_front();
  layer_->ledger().depart(departing);
  if (departing.is_marked) mark(packet_of(departing));
  send(packet_of(departing));
  if (!departures_.empty()) departure_.set(departures_.front().time_ns);
}

void OnlineQueue::carry(Packet* packet, Handler* next, double delay_s) {
  const std::int64_t number = departed_++;
  under_way_.emplace(number, UnderWay{packet, next, delay_s});
  const auto known = ahead_.find(number);
  if (known == ahead_.end()) return;
  finish(number, known->second);
  ahead_.erase(known);
}

void OnlineQueue::finish(std::int64_t number, const Release& release) {
  const auto found = under_way_.find(number);
  const UnderWay way = found->second;
  under_way_.erase(found);
  settle(way.packet, release.delivered ? Fate::delivered : Fate::lost, release.time_ns, way.next, way.delay_s);
}

void OnlineQueue::add_counters(Counters& counters) {
  const UnitCounts units = layer_ ? layer_->units() : UnitCounts{};
  add(counters, "packets_under_way", static_cast<std::int64_t>(under_way_.size()));
  add(counters, "units_data", units.data);
  add(counters, "units_repair", units.repair);
  add(counters, "units_repeated", units.repeated);
  add(counters, "units_erased", units.erased);
  auto use = slots_ ? slots_->use_until(now_ns()) : std::nullopt;
  if (!use) return;
  use->used_bytes -= units.left_bytes;
  const bool may_stall = scheme_ == "harq-processes" || scheme_ == "tetrys" || has_rlc();
  add_use(counters, *use, may_stall ? std::optional(units.stalled) : std::nullopt);
}

}  // namespace clift
