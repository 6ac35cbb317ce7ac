// The user's programs: started in one of the network namespaces, waited for, ended.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "emulate/descriptor.h"

namespace clift {

// Where a program runs, and how it stands to the terminal.
struct Start {
  const Descriptor& network;
  bool own_group;   // in a process group of its own, without standard input
};

// Starts a program and returns its process id. One that cannot be started ends with status 127 (not found) or 126,
// like a shell's, and a line on stderr.
pid_t start(const std::vector<std::string>& argv, const Start& where);

// What a shell says of a status from waitpid: the exit status, or 128 plus the signal.
int exit_status_of(int wait_status);

// Sockets of this process's network namespace that wait for TCP connections or for datagrams.
std::size_t listening_sockets();

}  // namespace clift
