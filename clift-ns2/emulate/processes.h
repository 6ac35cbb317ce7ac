// Starts the user's programs in one of the network namespaces, and waits for them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "emulate/descriptor.h"

namespace clift {

// Namespace and process group of a program.
struct Start {
  const Descriptor& network;
  bool own_group;   // whether it has its own process group, without standard input
};

// Starts a program and returns its process id. A program that cannot be started ends with status 127 (not found) or
// 126, as in a shell, and a line on stderr.
pid_t start(const std::vector<std::string>& argv, const Start& where);

// A shell's value for a status from waitpid: the exit status, or 128 plus the signal.
int exit_status_of(int wait_status);

// Number of sockets in this process's network namespace that wait for TCP connections or for datagrams.
std::size_t listening_sockets();

}  // namespace clift
