// What a TCP packet says on ECN (RFC 3168, RFC 9768).
#pragma once

#include <cstdint>

#include "core/ecn.h"

namespace clift::tcp {

enum class EcnMode : std::uint8_t {
  off,
  classic,   // RFC 3168: an echo that lasts until the sender has reduced its window
  accurate,  // RFC 9768 (AccECN) without its option: the number of marked packets, modulo 8
};

// Flags of TCP's header, and numbers of all three: the ACE field of RFC 9768.
inline constexpr int ece = 1, cwr = 2, ae = 4;
inline constexpr int classic_offer = cwr | ece;
inline constexpr int accurate_offer = ae | cwr | ece;
inline constexpr int not_ect_syn = 2;     // the answer to a SYN that is not ECN-capable
inline constexpr int first_ce_count = 5;  // from which the marked packets are counted

struct EcnFlags {
  Ecn codepoint = Ecn::not_ect;
  int ace = 0;
};

}  // namespace clift::tcp
