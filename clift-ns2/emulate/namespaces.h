// Rooms of our own: two network namespaces, and one for processes and mounts around both.
#pragma once

#include <string>
#include <vector>

#include "emulate/descriptor.h"

namespace clift {

// Leaves the namespaces that the caller is in: new ones for the network, for mounts, and for the processes that it
// starts from now on; without the right to do so, within a user namespace in which it is root. Nothing of this has
// a name, so nothing is left when the last process in there ends.
void enter_own_namespaces();

// Gives this process yet another network namespace.
void enter_new_network();

// The network namespace that this process is in, to come back to.
Descriptor current_network();
void enter_network(const Descriptor& network);

// Lets `/proc` show the processes of the new namespace, where the system lets us.
void mount_own_proc();

// Sets `net.ipv4.tcp_rmem=4096 87380 1000000` and the like in this process's network namespace.
void set_sysctls(const std::vector<std::string>& sysctls);

}  // namespace clift
