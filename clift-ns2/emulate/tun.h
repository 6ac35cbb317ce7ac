// A TUN interface: this program reads and writes its packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulate/descriptor.h"

namespace clift {

struct Addresses {
  const char* ip4;
  const char* ip6;
};

class Tun {
 public:
  // Creates the interface in this process's network namespace, sets its addresses and takes it up. There are no
  // offloads: the kernel cuts packets to the MTU. Needs CAP_NET_ADMIN in that namespace.
  Tun(const char* name, const Addresses& addresses, int mtu_bytes);

  int descriptor() const { return file_.get(); }

  // Reads the next packet into `bytes`; false when there is none.
  bool read(std::vector<std::uint8_t>& bytes) const;

  // False if the kernel refuses the packet.
  bool write(const std::vector<std::uint8_t>& bytes) const;

 private:
  Descriptor file_;
};

// Takes up the loopback interface of this process's network namespace.
void take_loopback_up();

// Number of packets that the queue of interface `name` dropped because this program did not read them in time.
std::int64_t interface_drops(const char* name);

}  // namespace clift
