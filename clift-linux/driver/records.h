// Records of a run: packets and windows, in order of time.
#pragma once

#include <algorithm>

#include "core/record_file.h"
#include "core/schema.h"
#include "core/time.h"

namespace clift {

class Records {
 public:
  // Records what happens to a packet, whose own time is that of its sending.
  void add(schema::PacketRecord packet, schema::PacketEvent event, Nanoseconds now_ns) {
    packet.delay_ns = event == schema::PacketEvent::received ? now_ns - packet.time_ns : schema::unsettled;
    packet.time_ns = now_ns;
    last_ns_ = now_ns;
    packet.event = static_cast<std::uint8_t>(event);
    packets_.append(packet);
  }

  // The same for an event that is noticed late: its record does not precede the last one.
  void add_in_order(const schema::PacketRecord& packet, schema::PacketEvent event, Nanoseconds time_ns) {
    add(packet, event, std::max(time_ns, last_ns_));
  }

  // Records the arrival of a packet at its receiver, which was due then. The kernel's timer goes off a nanosecond late.
  void add_arrival(Nanoseconds now_ns, Nanoseconds due_ns, const schema::PacketRecord& packet, schema::PacketEvent event) {
    if (event == schema::PacketEvent::received) most_late_ns_ = std::max<Nanoseconds>(most_late_ns_, now_ns - due_ns);
    last_ns_ = std::max(last_ns_, due_ns);
    add(packet, event, std::min<Nanoseconds>(last_ns_, now_ns));
  }

  void add(const schema::WindowRecord& window) { windows_.append(window); }

  // Largest delay of a packet at the far end after its due time.
  Nanoseconds most_late_ns() const { return most_late_ns_; }

  void close() {
    packets_.close();
    windows_.close();
  }

 private:
  RecordFile<schema::PacketRecord> packets_{"packets.npy"};
  RecordFile<schema::WindowRecord> windows_{"windows.npy"};
  Nanoseconds last_ns_ = 0, most_late_ns_ = 0;
};

}  // namespace clift
