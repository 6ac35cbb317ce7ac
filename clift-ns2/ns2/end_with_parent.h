// Ends a simulation together with its parent process, even when that process is killed.
#pragma once

namespace clift {

// Asks the kernel to kill this process when its parent ends. The environment variable CLIFT_PARENT holds the parent's
// process id; without it, a simulation outlives its parent. A fork does not inherit this.
void end_with_parent();

}  // namespace clift
