// Before the kernel boots, this checks that the host lets it trace the processes of programs.
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace {

constexpr int failure_status = 2;

// The error number of a child that asks to be traced.
int tracing_error() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : errno);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

__attribute__((constructor)) void check_ptrace() {
  const int error = tracing_error();
  if (error == 0) return;
  std::fprintf(stderr,
               "the host does not let this program trace its processes: %s. Ask the administrator to allow the system "
               "call ptrace, in a container with `--cap-add SYS_PTRACE` or `--security-opt seccomp=unconfined`\n",
               std::strerror(error));
  _exit(failure_status);
}

}  // namespace
