// `new Clift/SharedLine SCHEDULER`: a line whose users, queues of Queue/Clift/Online, share the slots of their traces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config.h"

#include "core/online/shared_line.h"
#include "timer.h"

namespace clift {

class OnlineQueue;

class SharedLineObject : public TclObject {
 public:
  explicit SharedLineObject(const char* scheduler) : scheduler_(scheduler) {}

  // The line with this name in Tcl.
  static SharedLineObject* called(const char* name);

  // Adds a queue, before the simulation begins.
  void join(OnlineQueue& queue) { queues_.push_back(&queue); }

  // The link layers of the queues are made anew.
  void reset();

  // Gives the slots that have begun. Call it before a packet is offered to a queue, and `follow_up` after it.
  void run();
  void follow_up();

 private:
  SharedLine& line();
  void wake();

  const std::string scheduler_;
  std::vector<OnlineQueue*> queues_;
  std::optional<SharedLine> line_;
  Timer<SharedLineObject, &SharedLineObject::wake> waking_{*this};
};

}  // namespace clift
