// `clift-emulate KEY VALUE ... -- COMMAND ARGUMENT ...`: runs a command in a network namespace whose only connection is
// an emulated link to another namespace. `tmt emulate` starts it; settings.h lists the keys.
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <string>

#include "core/input_error.h"
#include "core/trace_file.h"
#include "emulate/namespaces.h"
#include "emulate/ports.h"
#include "emulate/processes.h"
#include "emulate/session.h"
#include "emulate/settings.h"
#include "emulate/tun.h"
#include "emulate/wire.h"

namespace clift {

namespace {

constexpr Addresses sender_addresses = {"10.0.0.1", "fd00::1"}, receiver_addresses = {"10.0.0.2", "fd00::2"};

WireLink link_of(const Settings& settings, int direction, const LinkTraceFile* trace) {
  return {settings.links[direction].plan(trace), settings.queue, settings.propagation(),
          seeded_uniform(static_cast<std::uint64_t>(direction))};
}

// Packets are due to the nanosecond: sets the timer slack to its least, and real-time priority if that is permitted.
bool ask_for_real_time() {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  sched_param parameters{};
  parameters.sched_priority = sched_get_priority_min(SCHED_RR);
  return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &parameters) == 0;
}

int emulate(const Settings& settings) {
  // Before anything is set up.
  const auto forward_trace = settings.links[0].opened(), return_trace = settings.links[1].opened();
  auto records = settings.record ? std::make_unique<PacketRecords>(settings.folder + "/packets.npy") : nullptr;
  mount_own_proc();

  const Descriptor sender = current_network();
  take_loopback_up();
  const Tun sender_tun("link", sender_addresses, static_cast<int>(settings.mtu_bytes));
  set_sysctls(settings.sysctls);
  enter_new_network();
  const Descriptor receiver = current_network();
  take_loopback_up();
  const Tun receiver_tun("link", receiver_addresses, static_cast<int>(settings.mtu_bytes));
  set_sysctls(settings.sysctls);
  hand_out_ports(settings.ports, static_cast<int>(settings.lifeline));

  Wire wire({link_of(settings, 0, forward_trace.get()), sender_tun, receiver_tun},
            {link_of(settings, 1, return_trace.get()), receiver_tun, sender_tun}, std::move(records));
  const bool real_time = ask_for_real_time();
  return Session(settings, {sender, receiver}, wire, real_time).run();
}

// Does `work` and returns its exit status. After a failure the reason is one line in `folder`/failure.txt, or on stderr
// without a folder: status 2 alone may be the command's.
template <class Work>
int told(const std::string& folder, Work work) {
  std::string reason;
  try {
    return work();
  } catch (const InputError& error) {
    reason = error.what();
  } catch (const std::exception& error) {
    reason = std::string("tmt emulate: ") + error.what();
  }
  if (folder.empty() || !(std::ofstream(folder + "/failure.txt") << reason << std::endl)) {
    std::fprintf(stderr, "%s\n", reason.c_str());
  }
  return 2;
}

// Waits for the child, which does the work; forwards terminating signals to it.
int await(pid_t child, const sigset_t& awaited) {
  for (;;) {
    siginfo_t info{};
    if (sigwaitinfo(&awaited, &info) < 0) continue;
    if (info.si_signo == SIGTERM || info.si_signo == SIGHUP) kill(child, info.si_signo);
    int status = 0;
    if (info.si_signo == SIGCHLD && waitpid(child, &status, WNOHANG) == child) return exit_status_of(status);
  }
}

int run(const Settings& settings) {
  enter_own_namespaces();
  sigset_t awaited;
  sigemptyset(&awaited);
  for (const int signal : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT}) sigaddset(&awaited, signal);
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  const pid_t child = fork();
  checked(child, "starting a process");
  if (child > 0) return await(child, awaited);
  // This is the first process of its namespace: its end ends all others there, and it ends with its parent.
  prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGKILL), 0UL, 0UL, 0UL);
  std::exit(told(settings.folder, [&] { return emulate(settings); }));
}

}  // namespace

}  // namespace clift

int main(int argc, char** argv) {
  using namespace clift;
  Settings settings;
  const int status = told("", [&] {
    settings = settings_of(argc, argv);
    return 0;
  });
  return status != 0 ? status : told(settings.folder, [&] { return run(settings); });
}
