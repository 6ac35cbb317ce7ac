// When a receiver sends an acknowledgement: the rule of Linux (docs/tcp-modern.md, Receiver). A connection whose
// receiver sends no data is never interactive, so that Linux's ping-pong mode has no part in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.h"

namespace clift::tcp {

class AckDelay {
 public:
  enum class Arrival {
    in_order,      // no packet is missing
    fills_hole,    // it fills the last hole
    among_holes,   // in order, but packets beyond it are still missing
    beyond_hole,
    duplicate,
  };

  // The RTT that the handshake showed.
  void know_rtt(Nanoseconds rtt_ns) { rtt_ns_ = rtt_ns; }

  // Asks for `count` acknowledgements at once, one for a packet; `window_packets` is the window that was advertised.
  void hurry(std::int64_t count, std::int64_t window_packets);

  // The window grows with this packet: it is acknowledged at once.
  void on_window_growth() { quick_ = std::max<std::int64_t>(quick_, 1); }

  // Held packets take most of the buffer: nothing more is acknowledged only for the start's sake.
  void calm() { quick_ = 0; }

  // A packet has arrived. `waiting`: packets in order that no acknowledgement covers, this one included. Afterwards
  // deadline_ns() <= now_ns if the acknowledgement is due at once.
  void on_packet(Nanoseconds now_ns, Arrival arrival, std::int64_t waiting, std::int64_t window_packets);

  // The acknowledgement is due at this time.
  void send_at(Nanoseconds time_ns) { deadline_ns_ = time_ns; }

  // Call it before the acknowledgement when the deadline has come.
  void on_deadline();

  // An acknowledgement of data was sent.
  void on_sent();

  Nanoseconds deadline_ns() const { return deadline_ns_; }  // never: nothing waits

  // Whether duplicate acknowledgements are being collected.
  bool collects() const { return collected_ > 0; }

 private:
  void estimate(Nanoseconds now_ns, std::int64_t window_packets);
  Nanoseconds timeout_ns() const;

  Nanoseconds rtt_ns_ = -1;        // -1: not known
  Nanoseconds ato_ns_ = 0;         // estimated time between packets, ATO in Linux; 0: no data have arrived
  Nanoseconds last_data_ns_ = 0;   // arrival of the last data in order
  Nanoseconds deadline_ns_ = never;
  std::int64_t quick_ = 0;         // acknowledgements still to be sent at once
  std::int64_t repeated_ = 0;      // acknowledgements for packets beyond the current hole, at once
  std::int64_t collected_ = 0;     // packets since the last acknowledgement, while they are collected
};

}  // namespace clift::tcp
