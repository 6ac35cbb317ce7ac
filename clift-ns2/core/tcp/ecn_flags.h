// What a TCP packet says on ECN (RFC 3168).
#pragma once

namespace clift::tcp {

struct EcnFlags {
  bool is_capable = false;   // ECT(0), in the IP header
  bool has_echo = false;     // ECE: a mark has arrived
  bool has_reduced = false;  // CWR: the window is reduced; with ECE in a SYN, the offer of ECN
};

}  // namespace clift::tcp
