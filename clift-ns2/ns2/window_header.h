// The advertised window, which ns-2's TCP header has no room for.
#pragma once

#include <cstdint>

#include "config.h"
#include "packet.h"

// Of acknowledgements, unless `kind` says otherwise. Scripts with a proxy name it before `new Simulator`:
// `add-packet-header CliftWindow`.
struct hdr_clift_window {
  enum Kind : std::int32_t {
    plain,   // a TCP packet as any
    update,  // an acknowledgement that is sent for its window's sake
    probe,   // from the sender: asks for an update
  };

  std::int32_t end;  // the first segment that the receiver has no room for; 0: it does not say
  Kind kind;

  static int offset_;
  static hdr_clift_window* access(Packet* p) { return reinterpret_cast<hdr_clift_window*>(p->access(offset_)); }

  // Refuses to make a part, `class_name`, when the script has not named the header.
  static void check_named(const char* class_name);
};
