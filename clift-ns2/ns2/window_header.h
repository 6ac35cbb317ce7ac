// Packet header with the advertised window, which ns-2's TCP header lacks.
#pragma once

#include <cstdint>

#include "config.h"
#include "packet.h"

// Acknowledgements carry it, and probes (see `kind`). Scripts with a proxy call `add-packet-header CliftWindow` before
// `new Simulator`.
struct hdr_clift_window {
  enum Kind : std::int32_t {
    plain,   // an ordinary TCP packet
    update,  // an acknowledgement that only updates the window
    probe,   // a packet of the sender that requests an update
  };

  std::int32_t end;  // first segment beyond the receiver's window; 0: not advertised
  Kind kind;

  static int offset_;
  static hdr_clift_window* access(Packet* p) { return reinterpret_cast<hdr_clift_window*>(p->access(offset_)); }

  // Ends the program with a message for `class_name` if the script has not added the header.
  static void check_named(const char* class_name);
};
