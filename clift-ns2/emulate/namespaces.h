// Two network namespaces, and process and mount namespaces around both.
#pragma once

#include <string>
#include <vector>

#include "emulate/descriptor.h"

namespace clift {

// Moves the caller into new network and mount namespaces, and its future children into a new process namespace. Without
// the right to do so, it first enters a user namespace in which it is root. The namespaces have no names, so they
// disappear with their last process.
void enter_own_namespaces();

// Moves this process into another new network namespace.
void enter_new_network();

// This process's network namespace, to return to.
Descriptor current_network();
void enter_network(const Descriptor& network);

// Mounts `/proc` of the new process namespace, if the system permits it.
void mount_own_proc();

// Sets `net.ipv4.tcp_rmem=4096 87380 1000000` and the like in this process's network namespace.
void set_sysctls(const std::vector<std::string>& sysctls);

}  // namespace clift
