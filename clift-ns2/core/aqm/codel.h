// CoDel (RFC 8289): drops or marks at the head while packets have waited longer than a target for an interval.
#pragma once

#include "core/aqm/codel_control.h"
#include "core/aqm/discipline.h"
#include "core/aqm/fifo.h"

namespace clift {

class CoDel : public Discipline {
 public:
  CoDel(const QueueLimits& limits, const CoDelOptions& options) : Discipline(limits), options_(options) {}

  void enqueue(const QueuedPacket& packet) override;
  bool dequeue(Nanoseconds now_ns, QueuedPacket& packet) override;
  Load load() const override { return fifo_.load(); }

 private:
  const CoDelOptions options_;
  Fifo fifo_;
  CoDelControl control_;
};

}  // namespace clift
