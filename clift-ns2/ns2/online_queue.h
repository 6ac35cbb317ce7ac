// `Queue/Clift/Online`: a queue with a link layer on live packets.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "link_queue.h"

#include "core/online/link_layer.h"
#include "core/trace_file.h"
#include "timer.h"

namespace clift {

// Units are sent in the slots of a PHY trace (`load`), or back to back at the rate of the link behind the queue over a
// two-state channel. The round-trip propagation time is twice that link's delay.
class OnlineQueue : public LinkQueue {
 public:
  OnlineQueue();

  int command(int argc, const char* const* argv) override;
  void reset() override;

 private:
  // A packet that has left the queue and has not arrived.
  struct UnderWay {
    Packet* packet;
    Handler* next;
    double delay_s;
  };

  void take(Packet* packet) override;
  std::int64_t queued() const override { return layer_ ? layer_->ledger().queued() : 0; }
  void carry(Packet* packet, Handler* next, double delay_s) override;
  void load(const char* path) override;
  void add_counters(Counters& counters) override;

  LinkLayer& layer();
  LinkLayerOptions options() const;
  void choose(LinkLayerOptions& options) const;
  void bind_harq_processes();
  void choose_harq_processes(LinkLayerOptions& options) const;
  void bind_rlc();
  bool has_rlc() const { return scheme_.compare(0, 3, "rlc") == 0; }
  void choose_rlc(LinkLayerOptions& options) const;
  std::unique_ptr<SlotSource> make_slots();
  double probability(const char* variable, double value) const;
  void wake();
  void take_dropped();
  void depart();
  void follow_up();
  void finish(std::int64_t number, const Release& release);

  std::string scheme_ = "none";
  int unit_bytes_, data_, repair_, depth_, extra_, rounds_, max_transmissions_, persistency_, window_;
  int coding_window_, repair_interval_;
  double timeout_, detection_delay_, processing_;
  double alpha_, beta_, error_good_, error_bad_;

  // Variables of harq-processes.
  struct {
    int processes_, synchronous_, repetitions_, combining_;
    double slot_time_, combining_threshold_db_, missed_feedback_, false_feedback_;
  } harq_processes_;

  // Variables of rlc.
  struct {
    int acknowledged_, segments_in_order_, max_retransmissions_, window_, poll_pdus_;
    double poll_retransmit_, reassembly_, status_prohibit_;
  } rlc_;

  std::unique_ptr<PhyTraceFile> trace_;
  std::unique_ptr<SlotSource> slots_;
  std::unique_ptr<LinkLayer> layer_;
  std::deque<Departure> departures_;                        // known ones of packets that are still in the queue
  std::int64_t departed_ = 0;                               // packets that have left the queue
  std::unordered_map<std::int64_t, UnderWay> under_way_;    // by packet number
  std::unordered_map<std::int64_t, Release> ahead_;         // fates known before the packet has left
  double delay_s_ = 0.0;                                    // one-way delay of the link
  double rate_bps_ = 0.0;                                   // rate of the link
  Nanoseconds wake_ns_ = never;

  Timer<OnlineQueue, &OnlineQueue::depart> departure_{*this};
  Timer<OnlineQueue, &OnlineQueue::wake> waking_{*this};
};

}  // namespace clift
