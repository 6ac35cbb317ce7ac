// ECN in ns-2's headers: hdr_flags holds ECT, CE, ECE and CWR; AE is a flag of TCP's header. ECT(1) is ECT with the bit
// `pri_`, which ns-2 does not use, so that ns-2's own queues know all ECN-capable packets; its traces show it as P.
#pragma once

#include "flags.h"
#include "packet.h"
#include "tcp.h"

#include "core/tcp/ecn_flags.h"

namespace clift {

inline constexpr int ae_flag = 0x100;  // TH_AE of the header's 9 flags

inline Ecn codepoint_of(Packet* packet) {
  hdr_flags& flags = *hdr_flags::access(packet);
  if (flags.ect() == 0) return Ecn::not_ect;
  return flags.ce() != 0 ? Ecn::ce : flags.pri_ != 0 ? Ecn::ect_1 : Ecn::ect_0;
}

inline int ace_of(Packet* packet) {
  hdr_flags& flags = *hdr_flags::access(packet);
  const bool has_ae = (hdr_tcp::access(packet)->flags() & ae_flag) != 0;
  return (has_ae ? tcp::ae : 0) | (flags.cwr() != 0 ? tcp::cwr : 0) | (flags.ecnecho() != 0 ? tcp::ece : 0);
}

inline void set_ecn(Packet* packet, tcp::EcnFlags ecn) {
  hdr_flags& flags = *hdr_flags::access(packet);
  flags.ect() = ecn.codepoint != Ecn::not_ect;
  flags.pri_ = ecn.codepoint == Ecn::ect_1;
  flags.ecnecho() = (ecn.ace & tcp::ece) != 0;
  flags.cwr() = (ecn.ace & tcp::cwr) != 0;
  if ((ecn.ace & tcp::ae) != 0) hdr_tcp::access(packet)->flags() |= ae_flag;
}

}  // namespace clift
