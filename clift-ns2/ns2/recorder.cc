#include "recorder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "tcp.h"

#include "core/input_error.h"
#include "failure.h"
#include "named_class.h"
#include "sim_time.h"

int hdr_clift::offset_ = -1;

namespace {

clift::NamedHeader<hdr_clift> clift_header_class("PacketHeader/Clift");

clift::NamedClass<clift::Recorder> recorder_class("Clift/Recorder");

}  // namespace

namespace clift {

namespace {

// Fields common to all records of a packet.
schema::PacketRecord record_of(Packet* packet, schema::PacketEvent event) {
  const hdr_clift& header = *hdr_clift::access(packet);
  const hdr_cmn& common = *hdr_cmn::access(packet);
  schema::PacketRecord record{};
  record.time_ns = now_ns();
  record.event = static_cast<std::uint8_t>(event);
  record.direction = header.direction;
  record.flow = header.flow;
  record.sequence = hdr_tcp::access(packet)->seqno();
  record.size_bytes = static_cast<std::uint32_t>(common.size_);
  record.transmission = header.transmission;
  record.uid = common.uid_;
  record.delay_ns = schema::unsettled;
  return record;
}

template <class Record>
void append(RecordFile<Record>& file, const Record& record) {
  try {
    file.append(record);
  } catch (const InputError& error) {
    fail(error.what());
  }
}

}  // namespace

Recorder* Recorder::called(const char* name) {
  auto* recorder = dynamic_cast<Recorder*>(TclObject::lookup(name));
  if (recorder == nullptr) fail(std::string(name) + ": this is no Clift/Recorder");
  return recorder;
}

int Recorder::command(int argc, const char* const* argv) {
  try {
    if (argc == 2 && std::strcmp(argv[1], "open") == 0) {
      open();
      return TCL_OK;
    }
    if (argc == 2 && std::strcmp(argv[1], "close") == 0) {
      close();
      return TCL_OK;
    }
  } catch (const InputError& error) {
    fail(error.what());
  }
  return TclObject::command(argc, argv);
}

void Recorder::open() {
  if (hdr_clift::offset_ < 0) fail("Clift/Recorder: call `add-packet-header Clift` before `new Simulator`");
  packets_ = std::make_unique<RecordFile<schema::PacketRecord>>("packets.npy");
  windows_ = std::make_unique<RecordFile<schema::WindowRecord>>("windows.npy");
}

void Recorder::close() {
  if (!packets_) return;
  record_windows();
  packets_->close();
  windows_->close();
  packets_.reset();
  windows_.reset();
}

void Recorder::sent(Packet* packet, std::uint16_t flow, std::uint8_t direction) {
  *hdr_clift::access(packet) = {now_ns(), flow, transmission_of(packet, flow), direction, 1};
  met(packet, schema::PacketEvent::sent);
}

void Recorder::met(Packet* packet, schema::PacketEvent event) {
  const hdr_clift& header = *hdr_clift::access(packet);
  if (!packets_ || header.tapped == 0) return;
  schema::PacketRecord record = record_of(packet, event);
  if (event == schema::PacketEvent::received) record.delay_ns = record.time_ns - header.sent_ns;
  append(*packets_, record);
}

void Recorder::decoded(Packet* packet, std::int64_t segments_before, std::int64_t bytes) {
  if (!packets_ || hdr_clift::access(packet)->tapped == 0) return;
  schema::PacketRecord record = record_of(packet, schema::PacketEvent::decoded);
  record.sequence = segments_before;
  record.size_bytes = static_cast<std::uint32_t>(bytes);
  record.transmission = 0;
  append(*packets_, record);
}

void Recorder::window(schema::WindowRecord record) {
  if (!windows_) return;
  record.time_ns = now_ns();
  if (!latest_windows_.empty() && latest_windows_.front().time_ns != record.time_ns) record_windows();
  const auto same_flow = std::find_if(latest_windows_.begin(), latest_windows_.end(), [&](const auto& known) {
    return known.flow == record.flow;
  });
  if (same_flow == latest_windows_.end()) {
    latest_windows_.push_back(record);
  } else {
    *same_flow = record;
  }
}

void Recorder::record_windows() {
  for (const schema::WindowRecord& record : latest_windows_) append(*windows_, record);
  latest_windows_.clear();
}

std::uint16_t Recorder::transmission_of(Packet* packet, std::uint16_t flow) {
  if (hdr_cmn::access(packet)->ptype() != PT_TCP) return 0;
  const std::size_t segment = static_cast<std::size_t>(hdr_tcp::access(packet)->seqno());
  if (transmissions_.size() <= flow) transmissions_.resize(flow + std::size_t{1});
  std::vector<std::uint16_t>& counts = transmissions_[flow];
  if (counts.size() <= segment) counts.resize(segment + 1);
  if (counts[segment] < std::numeric_limits<std::uint16_t>::max()) ++counts[segment];
  return counts[segment];
}

}  // namespace clift
