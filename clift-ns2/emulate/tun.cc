#include "emulate/tun.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace clift {

namespace {

constexpr char device[] = "/dev/net/tun";
constexpr int interface_queue_packets = 10'000;  // holds packets while this program is not scheduled
constexpr int least_ip6_mtu_bytes = 1280;
constexpr int most_wait_ms = 10'000;

ifreq request_for(const char* name) {
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  return request;
}

Descriptor control_socket(int family) {
  return Descriptor(socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

void ask(const Descriptor& control, unsigned long what, void* request, const char* words) {
  checked(ioctl(control.get(), what, request), words);
}

void take_up(const Descriptor& control, const char* name) {
  ifreq request = request_for(name);
  ask(control, SIOCGIFFLAGS, &request, "reading an interface's flags");
  request.ifr_flags |= IFF_UP;
  ask(control, SIOCSIFFLAGS, &request, "taking an interface up");
}

void set_ip4(const Descriptor& control, const char* name, const char* address) {
  ifreq request = request_for(name);
  auto* ip = reinterpret_cast<sockaddr_in*>(&request.ifr_addr);
  ip->sin_family = AF_INET;
  inet_pton(AF_INET, address, &ip->sin_addr);
  ask(control, SIOCSIFADDR, &request, "setting an IPv4 address");
  inet_pton(AF_INET, "255.255.255.0", &ip->sin_addr);
  ask(control, SIOCSIFNETMASK, &request, "setting an IPv4 netmask");
}

unsigned index_of(const Descriptor& control, const char* name) {
  ifreq request = request_for(name);
  ask(control, SIOCGIFINDEX, &request, "finding an interface");
  return static_cast<unsigned>(request.ifr_ifindex);
}

// Uses rtnetlink, because a user namespace refuses the older ioctl.
void set_queue_length(const Descriptor& control, const char* name) {
  struct {
    nlmsghdr header;
    ifinfomsg link;
    rtattr attribute;
    std::uint32_t packets;
  } request{};
  request.header = {sizeof request, RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 0, 0};
  request.link.ifi_index = static_cast<int>(index_of(control, name));
  request.attribute = {RTA_LENGTH(sizeof request.packets), IFLA_TXQLEN};
  request.packets = interface_queue_packets;
  struct {
    nlmsghdr header;
    nlmsgerr result;
    char rest[256];
  } answer{};
  const Descriptor netlink(checked(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), "opening a netlink socket"));
  const bool asked = send(netlink.get(), &request, sizeof request, 0) == sizeof request &&
                     recv(netlink.get(), &answer, sizeof answer, 0) > 0;
  if (asked) errno = -answer.result.error;
  if (!asked || errno != 0) throw SystemError("setting an interface's queue length");
}

// Whether a datagram to itself comes through: the kernel takes a new address into use by work that a busy machine puts off.
bool is_in_use(sockaddr_in6 address) {
  const Descriptor probe(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  auto* const place = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  char byte = 0;
  return bind(probe.get(), place, size) == 0 && getsockname(probe.get(), place, &size) == 0 &&
         sendto(probe.get(), &byte, 1, 0, place, size) == 1 && recv(probe.get(), &byte, 1, MSG_DONTWAIT) == 1;
}

// Does nothing on a kernel without IPv6 or with IPv6 off, or with an MTU below IPv6's minimum: the interface then has IPv4
// only.
void set_ip6(const char* name, const char* address, int mtu_bytes) {
  const Descriptor control = control_socket(AF_INET6);
  if (control.get() < 0 || mtu_bytes < least_ip6_mtu_bytes) return;
  sockaddr_in6 own{};
  own.sin6_family = AF_INET6;
  inet_pton(AF_INET6, address, &own.sin6_addr);
  in6_ifreq request{};
  request.ifr6_addr = own.sin6_addr;
  request.ifr6_prefixlen = 64;
  request.ifr6_ifindex = static_cast<int>(index_of(control, name));
  const int set = ioctl(control.get(), SIOCSIFADDR, &request);
  if (set != 0 && (errno == EACCES || errno == EPERM)) return;
  checked(set, "setting an IPv6 address");
  for (int waited_ms = 0; !is_in_use(own); ++waited_ms) {
    if (waited_ms == most_wait_ms) throw SystemError(std::string("taking the IPv6 address ") + address + " into use");
    usleep(1000);
  }
}

Descriptor opened_device() {
  Descriptor file(open(device, O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) throw SystemError(device, "emulation needs the kernel's TUN device");
  return file;
}

}  // namespace

Tun::Tun(const char* name, const Addresses& addresses, int mtu_bytes) : file_(opened_device()) {
  ifreq request = request_for(name);
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  checked(ioctl(file_.get(), TUNSETIFF, &request), "making a TUN interface");
  checked(ioctl(file_.get(), TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6), "setting a TUN interface's offloads");
  const Descriptor control = control_socket(AF_INET);
  checked(control.get(), "opening a socket");
  request = request_for(name);
  request.ifr_mtu = mtu_bytes;
  ask(control, SIOCSIFMTU, &request, "setting an interface's MTU");
  set_queue_length(control, name);
  set_ip4(control, name, addresses.ip4);
  take_up(control, name);
  set_ip6(name, addresses.ip6, mtu_bytes);
}

std::size_t Tun::read(std::uint8_t* bytes) const {
  ssize_t size;
  do {
    size = ::read(file_.get(), bytes, most_bytes);
  } while (size < 0 && errno == EINTR);
  if (size < 0 && errno != EAGAIN) throw SystemError("reading from a TUN interface");
  return static_cast<std::size_t>(std::max<ssize_t>(size, 0));
}

bool Tun::write(const Frame& frame) const {
  return ::write(file_.get(), frame.data(), frame.size()) == static_cast<ssize_t>(frame.size());
}

void take_loopback_up() {
  const Descriptor control = control_socket(AF_INET);
  checked(control.get(), "opening a socket");
  take_up(control, "lo");
}

std::int64_t interface_drops(const char* name) {
  std::ifstream file("/proc/thread-self/net/dev");
  const std::string wanted = std::string(name) + ":";
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != wanted) continue;
    // Eight columns for received packets; then bytes, packets, errors and drops of sent ones.
    std::int64_t value = 0;
    for (int column = 0; column < 12 && words >> value; ++column) {
    }
    return words ? value : 0;
  }
  return 0;
}

}  // namespace clift
