#include "emulate/session.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <string>

#include "emulate/namespaces.h"
#include "emulate/processes.h"
#include "emulate/report.h"

namespace clift {

namespace {

constexpr Nanoseconds millisecond = 1'000'000, second = 1'000'000'000;
constexpr Nanoseconds listening_interval_ns = 5 * millisecond;
constexpr Nanoseconds grace_ns = 2 * second;  // between asking a process to end and ending it

// Signals that are read from a descriptor instead of interrupting this process. The command gets the terminal's.
sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE}) sigaddset(&set, signal);
  return set;
}

Descriptor signal_descriptor() {
  const sigset_t set = handled_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return Descriptor(checked(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), "opening a signal descriptor"));
}

// How long to sleep for a wait: a part of a long one, which the kernel may prolong by up to 0.5 %. A shorter sleep than the
// least costs more than several packets at once do.
Nanoseconds sleep_for(Nanoseconds wait_ns) {
  constexpr Nanoseconds least_sleep_ns = 25'000;
  if (wait_ns <= 0) return 0;
  return wait_ns > millisecond ? wait_ns - wait_ns / 100 : std::max(wait_ns, least_sleep_ns);
}

// CPU time of this process so far.
Nanoseconds cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * second + used.tv_nsec;
}

std::int64_t most_memory_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss * std::int64_t{1024};
}

}  // namespace

Session::Session(const Settings& settings, Networks networks, Wire& wire, bool real_time)
    : settings_(settings),
      networks_(networks),
      wire_(wire),
      real_time_(real_time),
      signals_(signal_descriptor()) {}

int Session::run() {
  if (!settings_.server.empty()) {
    start_server();
    await_server();
  }
  if (!end_signal_ && !abandoned_) {
    wire_.begin();
    cpu_at_start_ns_ = cpu_ns();
    command_ = start(settings_.command, {networks_.sender, false});
    carry();
    let_server_finish();
  }
  report();
  return end_signal_ ? 128 + *end_signal_ : command_status_.value_or(1);
}

void Session::start_server() {
  server_ = start({"/bin/sh", "-c", settings_.server}, {networks_.receiver, true});
}

// Waits until the server listens, so that the command does not start too early; a server that never listens costs the
// whole wait.
void Session::await_server() {
  const Nanoseconds deadline_ns = wire_.now_ns() + settings_.server_wait_ns;
  while (!server_listens() && !end_signal_ && !abandoned_ && wire_.now_ns() < deadline_ns) {
    if (server_status_ && *server_status_ != 0) {
      throw SettingError("the server, " + settings_.server + ", ended with status " + std::to_string(*server_status_) +
                         " before it listened");
    }
    sleep_until(wire_.now_ns() + listening_interval_ns);
  }
  server_listened_ = server_listens();
}

bool Session::server_listens() const { return listening_sockets() > settings_.ports.size(); }

void Session::carry() {
  while (!command_status_ && !end_signal_ && !abandoned_) carry_until(never);
  if (!end_signal_ || command_status_) return;
  pass_on(*end_signal_);
  const Nanoseconds deadline_ns = wire_.now_ns() + grace_ns;
  while (!command_status_ && !abandoned_ && wire_.now_ns() < deadline_ns) carry_until(deadline_ns);
}

// The last packets are still under way to the server: it gets two round trips and the time for one retransmission.
void Session::let_server_finish() {
  if (!server_runs()) return;
  Nanoseconds deadline_ns = sum_of(wire_.now_ns(), sum_of(product_of(2, settings_.rtt_ns), second));
  while (server_runs() && !end_signal_ && !abandoned_ && wire_.now_ns() < deadline_ns) carry_until(deadline_ns);
  end_server(SIGTERM);
  deadline_ns = wire_.now_ns() + grace_ns;
  while (server_runs() && !abandoned_ && wire_.now_ns() < deadline_ns) carry_until(deadline_ns);
}

// Delivers due packets, and waits for other events until the deadline.
void Session::carry_until(Nanoseconds deadline_ns) {
  wire_.deliver();
  sleep_until(std::min(wire_.next_due_ns(), deadline_ns));
}

// Takes packets, signals and the end of the lifeline, and returns after the first of them or at that time.
void Session::sleep_until(Nanoseconds time_ns) {
  pollfd files[] = {
      {signals_.get(), POLLIN, 0},
      {static_cast<int>(settings_.lifeline), POLLIN, 0},
      {command_ > 0 ? wire_.direction(0).from.descriptor() : -1, POLLIN, 0},
      {command_ > 0 ? wire_.direction(1).from.descriptor() : -1, POLLIN, 0},
  };
  const Nanoseconds sleep_ns = sleep_for(time_ns - wire_.now_ns());
  const timespec sleep = {sleep_ns / second, sleep_ns % second};
  ppoll(files, std::size(files), time_ns == never ? nullptr : &sleep, nullptr);
  if (files[0].revents != 0) handle_signals();
  // Nobody writes to this socket: an event means that the lifeline has ended.
  if (files[1].revents != 0) abandoned_ = true;
  for (const std::uint8_t from : {0, 1}) {
    if (files[2 + from].revents != 0) wire_.take(from);
  }
}

void Session::handle_signals() {
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) reap();
    if (signal == SIGTERM || signal == SIGHUP) end_signal_ = signal;
  }
}

// The first process of a namespace inherits orphans, too.
void Session::reap() {
  int status = 0;
  for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (child == command_) command_status_ = exit_status_of(status);
    if (child == server_) server_status_ = exit_status_of(status);
  }
}

void Session::pass_on(int signal) {
  if (!command_status_) kill(command_, signal);
}

void Session::end_server(int signal) const {
  if (server_runs()) kill(-server_, signal);
}

void Session::report() {
  const Nanoseconds now = wire_.now_ns();
  Counters counters = {{"duration_ns", now},
                       {"flows", static_cast<std::int64_t>(wire_.flows())},
                       {"real_time", real_time_},
                       {"command_status", command_status_.value_or(-1)},
                       {"server_listened", server_listened_},
                       {"server_status", server_status_.value_or(-1)},
                       {"cpu_ns", cpu_ns() - cpu_at_start_ns_},
                       {"memory_bytes", most_memory_bytes()}};
  const char* prefixes[] = {"forward_", "return_"};
  const Descriptor* networks[] = {&networks_.sender, &networks_.receiver};
  for (std::size_t i = 0; i < 2; ++i) {
    const Counters found = counters_of(wire_.direction(i), prefixes[i], now);
    counters.insert(counters.end(), found.begin(), found.end());
    enter_network(*networks[i]);
    counters.emplace_back(std::string(prefixes[i]) + "interface_dropped", interface_drops("link"));
  }
  wire_.close();
  write_counters(settings_.folder + "/counters.tsv", counters);
}

}  // namespace clift
