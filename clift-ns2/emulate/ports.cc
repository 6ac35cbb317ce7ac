#include "emulate/ports.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <string>

#include "emulate/descriptor.h"

namespace clift {

namespace {

constexpr int waiting_connections = 128;

// On a kernel without IPv6 the socket is an IPv4 socket.
Descriptor listening_socket(std::int64_t port) {
  const auto number = htons(static_cast<std::uint16_t>(port));
  Descriptor both(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  any6.sin6_port = number;
  sockaddr_in any4{};
  any4.sin_family = AF_INET;
  any4.sin_port = number;
  const bool has_ip6 = both.get() >= 0;
  if (!has_ip6) both = Descriptor(checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "opening a socket"));
  const int no = 0;
  if (has_ip6) checked(setsockopt(both.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no), "opening a socket");
  const auto* address = has_ip6 ? reinterpret_cast<const sockaddr*>(&any6) : reinterpret_cast<const sockaddr*>(&any4);
  const socklen_t size = has_ip6 ? sizeof any6 : sizeof any4;
  const std::string what = "opening port " + std::to_string(port) + " at the receiver";
  checked(bind(both.get(), address, size), what.c_str());
  checked(listen(both.get(), waiting_connections), what.c_str());
  return both;
}

void send_descriptor(int descriptor, int to) {
  char byte = 0;
  iovec content{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  checked(static_cast<int>(sendmsg(to, &message, 0)), "handing out a port");
}

}  // namespace

void hand_out_ports(const std::vector<std::int64_t>& ports, int to) {
  for (const std::int64_t port : ports) send_descriptor(listening_socket(port).get(), to);
}

}  // namespace clift
