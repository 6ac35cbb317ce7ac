// First in, first out: a full queue drops the packet that arrives, or those at its head.
#pragma once

#include "core/aqm/discipline.h"
#include "core/aqm/fifo.h"

namespace clift {

class SettingTable;

enum class DropEnd : std::uint8_t { tail, head };

struct DropTailOptions {
  DropEnd drop = DropEnd::tail;

  void declare(SettingTable& table);
};

class DropTail : public Discipline {
 public:
  DropTail(const QueueLimits& limits, const DropTailOptions& options) : Discipline(limits), options_(options) {}

  void enqueue(const QueuedPacket& packet) override;
  bool dequeue(Nanoseconds now_ns, QueuedPacket& packet) override;
  bool sends_all_in_order() const override { return options_.drop == DropEnd::tail && limits_.time_ns == never; }
  Load load() const override { return fifo_.load(); }

 private:
  const DropTailOptions options_;
  Fifo fifo_;
};

}  // namespace clift
