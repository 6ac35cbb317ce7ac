// Stop-and-wait HARQ processes: each sends a unit and waits for its feedback.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/online/combining.h"
#include "core/online/lower_layer.h"

namespace clift {

// A unit occupies a process from its first transmission until its last feedback. The link stalls when packets wait and
// no process is free.
class HarqProcesses : public LowerLayer {
 public:
  HarqProcesses(const LinkLayerOptions& options, SlotSource& slots)
      : LowerLayer(options, slots), combining_(*options.harq_processes) {}

 protected:
  struct Process {
    Nanoseconds due_ns = 0;  // its feedback reaches the sender
    bool again = false;      // the sender then retransmits the unit
    bool delivered = false;
    std::int64_t sent = 0;   // transmissions of the unit
    double quality = 0.0;    // sum over them
    std::vector<std::int64_t> packets;  // whose bytes the unit carries
  };

  // Sends the unit of a process in the slot at `tx_ns`: a retransmission, or a new unit.
  void transmit(Process& process, Nanoseconds tx_ns);

  const HarqProcessesOptions& parameters() const { return *options_.harq_processes; }

 private:
  Nanoseconds work(Nanoseconds now_ns) override;

  // Carries out the next transmission.
  virtual void send_next(const Transmission& next) = 0;

  void stop(Nanoseconds data_ns);
  bool is_nack(bool delivered);

  const SoftCombining combining_;
};

// A retransmission takes the first slot after its feedback, before new units.
class AsynchronousProcesses : public HarqProcesses {
 public:
  using HarqProcesses::HarqProcesses;

  Transmission next(Nanoseconds data_ns) override;

 private:
  void send_next(const Transmission& next) override;
  bool all_taken() const;
  Nanoseconds free_ns() const;

  // Both in order of due_ns; together at most as many as there are processes.
  std::deque<Process> nacked_;        // retransmit
  std::deque<Nanoseconds> released_;  // times at which processes become free
};

// A process sends in its own slots only: slot i belongs to process i modulo their number.
class SynchronousProcesses : public HarqProcesses {
 public:
  SynchronousProcesses(const LinkLayerOptions& options, SlotSource& slots);

  Transmission next(Nanoseconds data_ns) override;

 private:
  void send_next(const Transmission& next) override;
  Process& process_at(Nanoseconds tx_ns);

  std::vector<Process> processes_;
  Nanoseconds first_tx_ns_;
};

// Feedback is off: every unit has several slots in a row.
class BlindRepetition : public LowerLayer {
 public:
  BlindRepetition(const LinkLayerOptions& options, SlotSource& slots)
      : LowerLayer(options, slots), combining_(*options.harq_processes) {}

  Transmission next(Nanoseconds data_ns) override { return {data_ns == never ? never : first_tx_ns(data_ns), true}; }

 private:
  Nanoseconds work(Nanoseconds now_ns) override;
  void send_copies(Nanoseconds earliest_ns);

  const SoftCombining combining_;
};

// The options include those of HARQ processes.
std::unique_ptr<LowerLayer> make_harq_processes(const LinkLayerOptions& options, SlotSource& slots);

}  // namespace clift
