// FQ-CoDel (RFC 8290): a queue for each flow, served in turn by bytes, new flows first; CoDel controls each.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "core/aqm/codel_control.h"
#include "core/aqm/discipline.h"
#include "core/aqm/fifo.h"

namespace clift {

struct FqCoDelOptions {
  CoDelOptions codel;
  std::int64_t flows = 1024;
  std::int64_t quantum_bytes = 1514;

  void declare(SettingTable& table);
};

// Flows with the same remainder of `flow_hash` share a queue.
class FqCoDel : public Discipline {
 public:
  FqCoDel(const QueueLimits& limits, const FqCoDelOptions& options);

  void enqueue(const QueuedPacket& packet) override;
  bool dequeue(Nanoseconds now_ns, QueuedPacket& packet) override;
  Load load() const override { return load_; }

 private:
  struct Flow {
    Fifo queue;
    CoDelControl control;
    std::int64_t credit_bytes = 0;
    bool is_listed = false;
  };

  bool take(Flow& flow, Nanoseconds now_ns, QueuedPacket& packet);

  // Drops half the packets of the flow with most bytes, at most 64, from its head.
  void drop_from_longest();

  const FqCoDelOptions options_;
  std::vector<Flow> flows_;
  std::deque<std::size_t> new_flows_;
  std::deque<std::size_t> old_flows_;
  Load load_;
};

}  // namespace clift
