#include "online_queue.h"

#include <cstring>

#include "delay.h"
#include "random.h"

#include "failure.h"
#include "named_class.h"
#include "shared_line.h"

namespace clift {

using online::at;

namespace {

// The class has the variables' defaults.
class OnlineQueueClass : public NamedClass<OnlineQueue> {
 public:
  OnlineQueueClass() : NamedClass("Queue/Clift/Online") {}

  void bind() override {
    TclClass::bind();
    for (const online::Variable& variable : online::variables) {
      Tcl::instance().evalf("%s set %s %.15g", classname_, variable.name, variable.usual);
    }
  }
} online_queue_class;

Packet* packet_of(const QueuedPacket& packet) { return static_cast<Packet*>(packet.handle); }

}  // namespace

OnlineQueue::OnlineQueue() : LinkQueue("Queue/Clift/Online") {
  for (std::size_t index = 0; index < std::size(values_); ++index) {
    const char* const name = online::variables[index].name;
    switch (online::variables[index].kind) {
      case online::Kind::count: bind(name, &values_[index].whole); break;
      case online::Kind::flag: bind_bool(name, &values_[index].whole); break;
      case online::Kind::time: bind_time(name, &values_[index].real); break;
      case online::Kind::real: bind(name, &values_[index].real); break;
    }
  }
}

int OnlineQueue::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "scheme") == 0) {
    choose_scheme(argv[2]);
    return TCL_OK;
  }
  if (argc == 3 && std::strcmp(argv[1], "share") == 0) {
    line_ = SharedLineObject::called(argv[2]);
    line_->join(*this);
    return TCL_OK;
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
  if (line_ != nullptr) line_->reset();
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
  count<at("unit_bytes_")>();
  options.packing = packing();
  options.is_shared = line_ != nullptr;
  checked_time("the link's delay_", delay_s_, "a time in seconds, from 0");
  options.rtt_ns = to_ns(2.0 * delay_s_);
  options.detection_delay_ns = time<at("detection_delay_")>();
  options.resequencer.in_order = in_order_ != 0;
  options.resequencer.hold_ns = checked_time("hold_", hold_, "0 (no bound) or a time in seconds", longest_time_ns);
  options.repetitions = count<at("max_transmissions_")>() - 1;
  options.framing = Framing::stream;
  (this->*scheme_->choose)(options);
  if (has_rlc_) choose_rlc(options);
  if (options.packing == Packing::packed && options.framing == Framing::packet) {
    refuse("packed_", packed_, ("0 with scheme " + std::string(scheme_->name) + ", whose blocks hold units of one packet").c_str());
  }
  return options;
}

std::unique_ptr<SlotSource> OnlineQueue::make_slots() {
  const Nanoseconds processing_ns = time<at("processing_")>();
  const int unit_bytes = count<at("unit_bytes_")>();
  if (trace_) {
    if (processing_ns != 0) refuse("processing_", to_seconds(processing_ns), "0 with a trace, whose slots are as they are");
    return std::make_unique<TraceSlots>(trace_->rows(), unit_bytes, checked_playback(*trace_));
  }
  const ChannelOptions channel{real<at("alpha_")>(), real<at("beta_")>(), real<at("error_good_")>(),
                               real<at("error_bad_")>()};
  if (channel.alpha == 1.0 && channel.beta == 1.0) refuse("beta_", 1, "less than 1 where alpha_ is 1");
  if (!lies_within(rate_bps_, 1.0, 1e18)) refuse("the link's bandwidth_", rate_bps_, "a rate of 1 bit/s or more");
  const double unit_ns = 8e9 * unit_bytes / rate_bps_ + static_cast<double>(processing_ns);
  return std::make_unique<RateSlots>(unit_bytes, unit_ns, channel, [] { return Random::uniform(); });
}

SharedLine::User OnlineQueue::user_beside(const OnlineQueue& other) {
  if (!trace_ || !other.trace_) fail(name_ + ": share: no trace is loaded; allowed is a queue with a trace");
  if (begin_ != other.begin_ || length_ != other.length_ || offset_ != other.offset_ || loop_ != other.loop_) {
    fail(name_ + ": share: begin_, length_, offset_ and loop_ must be those of the line's first queue");
  }
  check_same_slots(*trace_, *other.trace_);
  LinkLayer& own = layer();
  return {&own, static_cast<TraceSlots*>(slots_.get())};
}

void OnlineQueue::take(Packet* packet) {
  layer().ledger().discipline().limit_packets(qlim_);
  if (line_ != nullptr) line_->run();
  layer_->offer(queued_packet(packet));
  line_ != nullptr ? line_->follow_up() : follow_up();
}

void OnlineQueue::wake() {
  wake_ns_ = never;
  layer_->run(now_ns());
  follow_up();
}

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
  if (line_ == nullptr && layer_->wake_ns() != wake_ns_) {
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
  const bool may_stall = (scheme_->may_stall || has_rlc_) && line_ == nullptr;
  add_use(counters, *use, may_stall ? std::optional(units.stalled) : std::nullopt);
}

}  // namespace clift
