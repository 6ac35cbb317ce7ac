// `Queue/Clift/Online`: a queue with a link layer on live packets.
#pragma once

#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>

#include "link_queue.h"

#include "core/online/link_layer.h"
#include "core/online/shared_line.h"
#include "core/trace_file.h"
#include "failure.h"
#include "online_variables.h"
#include "timer.h"

namespace clift {

class SharedLineObject;

// Units are sent in the slots of a PHY trace (`load`), or back to back at the rate of the link behind the queue over a
// two-state channel. The round-trip propagation time is twice that link's delay.
class OnlineQueue : public LinkQueue {
 public:
  OnlineQueue();

  int command(int argc, const char* const* argv) override;
  void reset() override;

  // This queue as a user of a shared line, whose slots must be those of another user. Throws InputError.
  SharedLine::User user_beside(const OnlineQueue& other);

  // Schedules departures and ends, and the next wake of the link layer unless a shared line wakes it.
  void follow_up();

 private:
  struct Scheme {
    const char* name;
    void (OnlineQueue::*choose)(LinkLayerOptions& options) const;
    bool goes_below_rlc = false;
    bool may_stall = false;  // leave a slot empty though packets wait
  };
  static const Scheme schemes_[];

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
  void choose_scheme(const std::string& name);
  void choose_none(LinkLayerOptions& options) const;
  void choose_blocks(LinkLayerOptions& options) const;
  void choose_fec(LinkLayerOptions& options) const;
  void choose_arq(LinkLayerOptions& options) const;
  void choose_harq(LinkLayerOptions& options) const;
  void choose_hybrid(LinkLayerOptions& options) const;
  void choose_go_back_n(LinkLayerOptions& options) const;
  void choose_sliding_window(LinkLayerOptions& options) const;
  void choose_tetrys(LinkLayerOptions& options) const;
  void choose_harq_processes(LinkLayerOptions& options) const;
  void choose_rlc(LinkLayerOptions& options) const;

  // The value of a variable, after a check.
  template <std::size_t index>
  int count() const;
  template <std::size_t index>
  bool flag() const;
  template <std::size_t index>
  Nanoseconds time() const;
  template <std::size_t index>
  double real() const;

  std::unique_ptr<SlotSource> make_slots();
  void wake();
  void take_dropped();
  void depart();
  void finish(std::int64_t number, const Release& release);

  // Values of `online::variables`: counts and flags, or times in seconds and real numbers.
  struct {
    int whole;
    double real;
  } values_[std::size(online::variables)];
  const Scheme* scheme_ = &schemes_[0];
  bool has_rlc_ = false;

  SharedLineObject* line_ = nullptr;  // with other users
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

template <std::size_t index>
int OnlineQueue::count() const {
  constexpr const online::Variable& variable = online::variables[index];
  static_assert(variable.kind == online::Kind::count);
  const int value = values_[index].whole;
  if (variable.allowed != nullptr && !(value >= variable.least && value <= variable.most)) {
    refuse(variable.name, value, variable.allowed);
  }
  return checked_count(variable.name, value, static_cast<int>(variable.least), static_cast<int>(variable.most));
}

template <std::size_t index>
bool OnlineQueue::flag() const {
  static_assert(online::variables[index].kind == online::Kind::flag);
  return values_[index].whole != 0;
}

template <std::size_t index>
Nanoseconds OnlineQueue::time() const {
  constexpr const online::Variable& variable = online::variables[index];
  static_assert(variable.kind == online::Kind::time);
  return checked_time(variable.name, values_[index].real,
                      variable.allowed != nullptr ? variable.allowed : "a time in seconds, from 0");
}

template <std::size_t index>
double OnlineQueue::real() const {
  constexpr const online::Variable& variable = online::variables[index];
  static_assert(variable.kind == online::Kind::real);
  const double value = values_[index].real;
  if (!lies_within(value, variable.least, variable.most)) refuse(variable.name, value, variable.allowed);
  return value;
}

}  // namespace clift
