// TCP ports in here at which somebody out there listens.
#pragma once

#include <cstdint>
#include <vector>

namespace clift {

// Opens these ports in this process's network namespace, IPv6 and IPv4, and sends the listening sockets over the
// Unix socket `to`. A socket belongs to the network that it was opened in, whoever accepts its connections.
void hand_out_ports(const std::vector<std::int64_t>& ports, int to);

}  // namespace clift
