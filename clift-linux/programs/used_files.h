// The host's files that a run has opened.
#pragma once

namespace clift {

// Writes used.txt, a path a line, in order. InputError when it cannot.
void write_used_files();

}  // namespace clift
