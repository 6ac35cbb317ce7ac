// Ends a simulation together with its parent process, even when that process is killed.
//
// The environment variable CLIFT_PARENT holds the parent's process id. Without it, a simulation outlives its parent.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace {

struct EndWithParent {
  EndWithParent() {
    const char* parent = std::getenv("CLIFT_PARENT");
    if (parent == nullptr) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A parent that died before the call above sends no signal.
    if (getppid() != std::atoi(parent)) _exit(1);
  }
} end_with_parent;

}  // namespace
