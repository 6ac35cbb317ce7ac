// Base of queues that set each packet's delay or loss on the link.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "config.h"
#include "queue.h"

#include "core/link_counts.h"
#include "core/packing.h"
#include "core/playback.h"
#include "core/propagation.h"
#include "core/queued_link.h"
#include "core/row_summary.h"
#include "core/schema.h"
#include "core/trace_clock.h"
#include "core/trace_file.h"
#include "ecn_bits.h"
#include "recorder.h"
#include "sim_time.h"

namespace clift {

// A subclass holds the packets, decides when they leave, and delivers them instead of the DelayLink that follows.
class LinkQueue : public Queue {
 public:
  // `name` begins every message of the queue.
  explicit LinkQueue(const char* name);

  int command(int argc, const char* const* argv) override;
  void recv(Packet* packet, Handler*) override {
    ++counts_.arrived;
    last_taken_ = packet;
    take(packet);
  }
  void enque(Packet* packet) override { recv(packet, nullptr); }
  Packet* deque() override { return nullptr; }  // packets leave at times of their own

  // The packet that arrived last, if it has not been dropped at once.
  const Packet* last_taken() const { return last_taken_; }

 protected:
  using Counters = std::string;  // a Tcl list of names and values

  static constexpr Nanoseconds longest_delay_ns = Nanoseconds{1} << 60;  // 36 years
  static constexpr Nanoseconds longest_time_ns = Nanoseconds{1} << 62;   // as in traces

  // Takes a packet that has arrived, or drops it.
  virtual void take(Packet* packet) = 0;

  // Packets in the queue, the ones being sent included.
  virtual std::int64_t queued() const = 0;

  // Delivers a packet that has left the queue to `next`, `delay_s` after its time on the link.
  virtual void carry(Packet* packet, Handler* next, double delay_s) = 0;

  virtual void load(const char* path) = 0;
  virtual void add_counters(Counters& counters) = 0;

  // Passes a packet that leaves the queue to the DelayLink, which calls `carry`.
  void send(Packet* packet) { target_->recv(packet, &carrier_); }

  void drop_for(DropCause cause, Packet* packet);
  // Drops a packet without a place.
  void overflow(Packet* packet) { drop_for(DropCause::limit, packet); }
  // The discipline has marked a packet.
  void mark(Packet* packet);

  // Delivers the packet to `next`, or gives it up, `delay_s` after `link_ns`, or as the series of round-trip times says.
  // Arrivals at the same time keep their order.
  void settle(Packet* packet, Fate fate, Nanoseconds link_ns, Handler* next, double delay_s);

  [[noreturn]] void refuse(const char* variable, double value, const char* allowed) const;
  // The discipline and limits, after a check.
  QueueOptions queue_options() const;

  // The packet as its discipline sees it, with itself as the handle.
  QueuedPacket queued_packet(Packet* packet) const {
    QueuedPacket queued;
    queued.handle = packet;
    queued.arrival_ns = now_ns();
    queued.size_bytes = hdr_cmn::access(packet)->size();
    if (is_droptail_) return queued;  // it looks at nothing else
    queued.ecn = codepoint_of(packet);
    if (hashes_flows_) queued.flow_hash = flow_hash_of(packet);
    return queued;
  }

  Packing packing() const { return packed_ != 0 ? Packing::packed : Packing::padded; }

  // The value of a variable, which must lie within these bounds.
  int checked_count(const char* variable, int value, int least, int most = std::numeric_limits<int>::max()) const;

  // A variable in seconds, from 0 to `most_ns`. A time of a trace plus an RTT and another delay has room.
  Nanoseconds checked_time(const char* variable, double seconds, const char* allowed,
                           Nanoseconds most_ns = longest_delay_ns) const;

  static void add(Counters& counters, const char* name, std::int64_t value);

  // Adds the counters of a trace; `stalled` rows only of schemes that may stall.
  void add_use(Counters& counters, const RowUse& use, std::optional<std::int64_t> stalled = std::nullopt) const;

  // The trace in a file, before the simulation has begun.
  template <class File>
  std::unique_ptr<File> opened(const char* path, bool has_begun) const;

  // `begin_`, `length_`, `offset_` and `loop_`, after a check that the trace can be played so.
  template <class Row>
  Playback checked_playback(const TraceFile<Row>& trace) const;

  // Reports once that the trace has ended and the link stops.
  template <class Row>
  void say_stopped(const TraceFile<Row>& trace);

  const std::string name_;
  int loop_;
  double begin_, length_, offset_;
  int packed_, in_order_;
  double hold_;
  std::int64_t stopped_at_ns_ = -1;

 private:
  static std::uint32_t flow_hash_of(Packet* packet);
  void choose_discipline(const char* words);

  // Handler that DelayLink gets with every packet.
  class Carrier : public Handler {
   public:
    explicit Carrier(LinkQueue& queue) : queue_(queue) {}
    void handle(Event*) override;
    bool carries(Packet* packet, Handler* next, double delay) override;

   private:
    LinkQueue& queue_;
  };

  // Gives a packet up at its time, with this event.
  class End : public Handler {
   public:
    End(LinkQueue& queue, schema::PacketEvent event) : queue_(queue), event_(event) {}
    void handle(Event* event) override;

    NsObject* target = nullptr;  // takes the packets

   private:
    LinkQueue& queue_;
    schema::PacketEvent event_;
  };

  // Functions of rare paths are not part of the usual one, which then saves no registers.
  [[gnu::noinline]] void settle_by_series(Packet* packet, Fate fate, Nanoseconds link_ns, Handler* next);
  void schedule_end(Packet* packet, Fate fate, Nanoseconds link_ns, Handler* next, double delay_s);
  [[gnu::noinline]] void schedule_behind_last(Packet* packet, Handler* next);
  void schedule_arrival(Packet* packet, Handler* next, double wait_s) {
    last_arrival_s_ = time_after(wait_s);
    Scheduler::instance().schedule(next, packet, wait_s);
  }

  PacketQueue packets_;  // empty: the link holds the packets
  Propagation& propagation();

  double limit_bytes_, limit_time_;
  int limit_counts_sending_;
  DisciplineChoice discipline_;
  bool is_droptail_ = true;
  bool hashes_flows_ = false;
  const Packet* last_taken_ = nullptr;
  LinkCounts counts_;
  std::optional<RttSeries> rtt_series_;
  double rtt_offset_;
  int overtaking_;
  std::optional<Propagation> propagation_;  // with a series, from the first packet on
  Nanoseconds last_arrival_ns_ = -1;        // link time of the last delivery, with a series its arrival
  double last_arrival_s_ = 0.0;       // scheduler time of the last delivery
  Carrier carrier_{*this};
  End end_lost_{*this, schema::PacketEvent::link_lost};
  End end_unsettled_{*this, schema::PacketEvent::link_unsettled};
  Recorder* recorder_ = nullptr;
};

}  // namespace clift
