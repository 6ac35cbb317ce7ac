#include "emulate/processes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "emulate/namespaces.h"

namespace clift {

namespace {

constexpr unsigned long usual_timer_slack_ns = 50'000;

[[noreturn]] void become(const std::vector<std::string>& argv, const Start& where) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_TIMERSLACK, usual_timer_slack_ns, 0UL, 0UL, 0UL);  // not the emulator's own
  try {
    enter_network(where.network);
  } catch (const SystemError& error) {
    std::fprintf(stderr, "tmt emulate: %s\n", error.what());
    _exit(126);
  }
  if (where.own_group) {
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output is the command's alone
  }
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  std::fprintf(stderr, "tmt emulate: %s: %s\n", words[0], std::strerror(error));
  _exit(error == ENOENT ? 127 : 126);
}

// Number of sockets in a table like /proc/net/tcp in the state `wanted` (hexadecimal); empty: any state.
std::size_t sockets(const char* table, const char* wanted) {
  std::ifstream file(std::string("/proc/thread-self/net/") + table);
  std::string line, slot, here, there, state;
  std::size_t found = 0;
  std::getline(file, line);  // the heading
  while (std::getline(file, line)) {
    std::istringstream words(line);
    found += words >> slot >> here >> there >> state && (*wanted == '\0' || state == wanted);
  }
  return found;
}

}  // namespace

pid_t start(const std::vector<std::string>& argv, const Start& where) {
  std::fflush(nullptr);
  const pid_t child = fork();
  checked(child, "starting a process");
  if (child == 0) become(argv, where);
  return child;
}

int exit_status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::size_t listening_sockets() {
  constexpr char listening[] = "0A";
  return sockets("tcp", listening) + sockets("tcp6", listening) + sockets("udp", "") + sockets("udp6", "");
}

}  // namespace clift
