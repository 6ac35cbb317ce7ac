// TCP ports of the emulated network that a process outside listens on.
#pragma once

#include <cstdint>
#include <vector>

namespace clift {

// Opens these ports in this process's network namespace, IPv6 and IPv4, and sends the listening sockets over the
// Unix socket `to`. A socket belongs to the network namespace in which it was opened, whoever accepts its connections.
void hand_out_ports(const std::vector<std::int64_t>& ports, int to);

}  // namespace clift
