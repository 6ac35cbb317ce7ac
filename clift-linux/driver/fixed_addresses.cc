// Before the kernel boots, this restarts the program without random addresses. The memory layout decides the order of
// the kernel's hash tables, and a run must be repeatable.
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int failure_status = 2;
constexpr unsigned long query = 0xffffffff;

// 0: no filter of system calls, 1: strict, 2: a filter; -1: unknown.
int seccomp_mode() {
  int mode = -1;
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return mode;
  for (char line[256]; mode < 0 && std::fgets(line, sizeof line, file) != nullptr;) {
    if (std::strncmp(line, "Seccomp:", 8) == 0) mode = std::atoi(line + 8);
  }
  std::fclose(file);
  return mode;
}

__attribute__((constructor)) void fix_addresses(int, char** argv, char**) {
  const int persona = personality(query);
  if (persona >= 0) {
    if ((persona & ADDR_NO_RANDOMIZE) != 0) return;
    if (personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) >= 0) execv("/proc/self/exe", argv);
  }
  std::fprintf(stderr,
               "the host does not let this program fix its memory addresses: %s (seccomp mode %d). Ask the administrator "
               "to allow the system call personality, in a container with `--security-opt seccomp=unconfined`\n",
               std::strerror(errno), seccomp_mode());
  _exit(failure_status);
}

}  // namespace
