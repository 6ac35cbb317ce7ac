// A network interface whose packets this program reads and writes.
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
  // Creates the interface in the network namespace that this process is in, gives it addresses and takes it up.
  // Packets come and go without offloads: what the kernel has cut to the MTU. Needs CAP_NET_ADMIN there.
  Tun(const char* name, const Addresses& addresses, int mtu_bytes);

  int descriptor() const { return file_.get(); }

  // Reads the next packet into `bytes`; false when there is none.
  bool read(std::vector<std::uint8_t>& bytes) const;

  // False when the kernel does not take it.
  bool write(const std::vector<std::uint8_t>& bytes) const;

 private:
  Descriptor file_;
};

// Takes up the loopback interface of this process's network namespace.
void take_loopback_up();

// Packets for the interface `name` of this process's network namespace that its own queue dropped, since this
// program did not read them in time.
std::int64_t interface_drops(const char* name);

}  // namespace clift
