#include "shared_line.h"

#include "core/input_error.h"
#include "core/setting_table.h"
#include "failure.h"
#include "named_class.h"
#include "online_queue.h"
#include "sim_time.h"

namespace clift {

namespace {

MadeClass shared_line_class("Clift/SharedLine", [](int argc, const char* const* argv) -> TclObject* {
  if (argc != 5) fail("usage: new Clift/SharedLine SCHEDULER");
  return new SharedLineObject(argv[4]);
});

}  // namespace

SharedLineObject* SharedLineObject::called(const char* name) {
  auto* line = dynamic_cast<SharedLineObject*>(TclObject::lookup(name));
  if (line == nullptr) refuse("Queue/Clift/Online: share", name, "a Clift/SharedLine");
  return line;
}

void SharedLineObject::reset() {
  waking_.cancel();
  line_.reset();
}

// Makes the line with the first packet, when all queues have joined.
SharedLine& SharedLineObject::line() {
  if (!line_) {
    try {
      std::vector<SharedLine::User> users;
      for (OnlineQueue* queue : queues_) users.push_back(queue->user_beside(*queues_.front()));
      line_.emplace(users, make_slot_scheduler(scheduler_, users.size()));
    } catch (const InputError& error) {
      fail(error.what());
    } catch (const SettingError& error) {
      fail(std::string("Clift/SharedLine: ") + error.what());
    }
  }
  return *line_;
}

void SharedLineObject::run() { line().run(now_ns()); }

void SharedLineObject::follow_up() {
  for (OnlineQueue* queue : queues_) queue->follow_up();
  waking_.cancel();
  if (line().wake_ns() != never) waking_.set(line().wake_ns());
}

void SharedLineObject::wake() {
  run();
  follow_up();
}

}  // namespace clift
