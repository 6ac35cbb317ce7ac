// Before the kernel boots, this restarts the program without rseq: the host's kernel would write into its registered
// memory, which the processes of programs do not have.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

constexpr char variable[] = "GLIBC_TUNABLES", value[] = "glibc.pthread.rseq=0";

// Before other constructors, which may restart the program as well.
__attribute__((constructor(101))) void do_without_rseq(int, char** argv, char**) {
  const char* found = std::getenv(variable);
  if (found != nullptr && std::strcmp(found, value) == 0) return;
  setenv(variable, value, 1);
  execv("/proc/self/exe", argv);
}

}  // namespace
