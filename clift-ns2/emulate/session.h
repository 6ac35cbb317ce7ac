// One emulation from the first process to the last: the server, the command, and the wire between them.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/time.h"
#include "emulate/descriptor.h"
#include "emulate/settings.h"
#include "emulate/wire.h"

namespace clift {

// Runs as the first process of a process namespace, so that its end ends every process in the namespace.
class Session {
 public:
  struct Networks {
    const Descriptor& sender;
    const Descriptor& receiver;  // this process's network namespace
  };

  Session(const Settings& settings, Networks networks, Wire& wire, bool real_time);

  // Returns the exit status of the user's command, as a shell would give it.
  int run();

 private:
  enum class Wake { packets, signal, lifeline };

  void start_server();
  void await_server();
  bool server_listens() const;
  void carry();              // carries packets until the command ends or is ended
  void let_server_finish();
  void carry_until(Nanoseconds deadline_ns);
  void sleep_until(Nanoseconds time_ns);
  void handle_signals();
  void reap();
  void pass_on(int signal);
  void end_server(int signal) const;
  void report();
  bool server_runs() const { return server_ > 0 && !server_status_; }

  const Settings& settings_;
  Networks networks_;
  Wire& wire_;
  bool real_time_;
  Descriptor signals_;
  pid_t server_ = -1;
  pid_t command_ = -1;
  bool server_listened_ = false;
  Nanoseconds cpu_at_start_ns_ = 0;    // CPU time of this process when the command started
  std::optional<int> server_status_;   // set when the server has ended
  std::optional<int> command_status_;
  std::optional<int> end_signal_;      // signal that asked this process to end
  bool abandoned_ = false;             // whether the starting process is gone
};

}  // namespace clift
