// Ends a simulation together with its parent process, even when that process is killed.
#pragma once

namespace clift {

// Asks the kernel to kill this process when its parent ends, if the environment variable CLIFT_PARENT holds the parent's
// process id. Without it, a simulation outlives its parent. A fork does not inherit this.
void end_with_parent();

}  // namespace clift
