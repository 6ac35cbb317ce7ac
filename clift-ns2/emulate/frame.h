// One call to a TUN device with offloads: a virtio header and an IP packet, or the headers of a TCP segment with the
// payload of several.
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/byte_view.h"

namespace clift {

// A virtio header and one IP packet, as a TUN device takes it.
using Frame = std::vector<std::uint8_t>;

ByteView packet_in(const Frame& frame);

// Marks the packet, which is ECN-capable: congestion experienced.
void mark(Frame& frame);

// Appends the packets of `read`, one call's bytes, to `frames`. Several TCP segments are cut apart, as the kernel does
// for a device without offloads. If the kernel left the checksum of TCP or UDP open, it stays open: the header says so,
// and the receiving kernel does not check it.
void cut(ByteView read, std::vector<Frame>& frames);

}  // namespace clift
