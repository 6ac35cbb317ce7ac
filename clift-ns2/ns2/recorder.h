// Records of one simulation, `packets.npy` and `windows.npy`.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config.h"
#include "connector.h"
#include "packet.h"

#include "core/record_file.h"
#include "core/schema.h"

// Header that the tap at the sending agent writes into a packet. Scripts that record call `add-packet-header Clift`
// before `new Simulator`.
struct hdr_clift {
  std::int64_t sent_ns;        // sending time at the agent
  std::uint16_t flow;
  std::uint16_t transmission;  // of this segment by TCP, from 1; 0: not TCP data
  std::uint8_t direction;      // 0: forward, 1: return
  std::uint8_t tapped;         // whether the other fields are set

  static int offset_;
  static hdr_clift* access(Packet* p) { return reinterpret_cast<hdr_clift*>(p->access(offset_)); }
};

namespace clift {

// `Clift/Recorder`: `open` creates both files in the current directory, `close` completes them.
class Recorder : public TclObject {
 public:
  // The recorder with this name in Tcl.
  static Recorder* called(const char* name);

  int command(int argc, const char* const* argv) override;

  // Fills the packet's header and records that an agent sends it.
  void sent(Packet* packet, std::uint16_t flow, std::uint8_t direction);

  // Records the event of a packet that a tap has sent; other packets leave no record.
  void met(Packet* packet, schema::PacketEvent event);

  // Records that a block of coded data, `bytes` of payload, is delivered to the application. `packet` completed it, and
  // `segments_before` were delivered before.
  void decoded(Packet* packet, std::int64_t segments_before, std::int64_t bytes);

  // Records the state of a sender's congestion control; of several states at one time the last one counts.
  void window(schema::WindowRecord record);

 private:
  void open();
  void close();
  void record_windows();
  std::uint16_t transmission_of(Packet* packet, std::uint16_t flow);

  std::unique_ptr<RecordFile<schema::PacketRecord>> packets_;
  std::unique_ptr<RecordFile<schema::WindowRecord>> windows_;
  std::vector<schema::WindowRecord> latest_windows_;  // of one time, one for each flow
  std::vector<std::vector<std::uint16_t>> transmissions_;  // [flow][segment], saturating
};

}  // namespace clift
