// A TUN interface with offloads: this program reads and writes its packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulate/descriptor.h"
#include "emulate/frame.h"

namespace clift {

struct Addresses {
  const char* ip4;
  const char* ip6;
};

class Tun {
 public:
  // Creates the interface in this process's network namespace, sets its addresses and takes it up. The kernel passes
  // several segments of TCP at a time, and leaves checksums of TCP and UDP open. Needs CAP_NET_ADMIN in that namespace.
  Tun(const char* name, const Addresses& addresses, int mtu_bytes);

  int descriptor() const { return file_.get(); }

  // Most bytes that one call reads: a virtio header, and a packet of 64 KiB behind the longest header.
  static constexpr std::size_t most_bytes = std::size_t{1} << 17;

  // Reads at most `most_bytes`, which `cut` takes apart, into `bytes`; returns their number, 0 when there are none.
  std::size_t read(std::uint8_t* bytes) const;

  // False if the kernel refuses the packet.
  bool write(const Frame& frame) const;

 private:
  Descriptor file_;
};

// Takes up the loopback interface of this process's network namespace.
void take_loopback_up();

// Number of packets that the queue of interface `name` dropped because this program did not read them in time.
std::int64_t interface_drops(const char* name);

}  // namespace clift
