// `Agent/TCPSink/Fectcp`: acknowledges every segment and decodes blocks; the number of needed symbols is drawn.
// `packetSize_` is the size of an ACK, and of the headers of a data segment.
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "agent.h"
#include "ip.h"
#include "random.h"
#include "tcp.h"

#include "core/fectcp/receiver.h"
#include "failure.h"
#include "named_class.h"
#include "recorder.h"
#include "sim_time.h"

namespace clift {

namespace {

class FectcpSink : public Agent {
 public:
  FectcpSink() : Agent(PT_ACK) {
    bind("packetSize_", &size_);
    take({});
  }

  int command(int argc, const char* const* argv) override;
  void recv(Packet* packet, Handler*) override;

 private:
  void take(const fectcp::DecodingOverhead& overhead) {
    receiver_ = std::make_unique<fectcp::Receiver>(overhead, [] { return Random::uniform(); });
  }
  void hand_over(Packet* packet);
  void acknowledge(Packet* packet, const fectcp::Reply& reply);

  std::unique_ptr<fectcp::Receiver> receiver_;
  Recorder* recorder_ = nullptr;
  std::int64_t bytes_ = 0;  // delivered to the application
};

int FectcpSink::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "overhead") == 0) {
    try {
      take(fectcp::DecodingOverhead::parse(argv[2]));
    } catch (const std::invalid_argument& error) {
      fail(std::string("Agent/TCPSink/Fectcp: ") + error.what());
    }
    return TCL_OK;
  }
  if (argc == 3 && std::strcmp(argv[1], "recorder") == 0) {
    recorder_ = Recorder::called(argv[2]);
    return TCL_OK;
  }
  if (argc == 2 && std::strcmp(argv[1], "counters") == 0) {
    const fectcp::ReceiverCounters& counted = receiver_->counters();
    Tcl::instance().resultf(
        "segments %lld surplus %lld decoded_blocks %lld decoded_symbols %lld overhead_symbols %lld bytes %lld",
        static_cast<long long>(counted.segments), static_cast<long long>(counted.surplus),
        static_cast<long long>(counted.decoded_blocks), static_cast<long long>(counted.decoded_symbols),
        static_cast<long long>(counted.overhead_symbols), static_cast<long long>(bytes_));
    return TCL_OK;
  }
  return Agent::command(argc, argv);
}

void FectcpSink::recv(Packet* packet, Handler*) {
  const hdr_tcp* data = hdr_tcp::access(packet);
  if (data->seqno_ == 0) {
    acknowledge(packet, receiver_->on_handshake(to_ns(data->ts_)));
  } else {
    const fectcp::Reply reply = receiver_->on_segment(data->seqno_, data->sack_area_[0][0], data->sack_area_[0][1]);
    hand_over(packet);
    acknowledge(packet, reply);
  }
  Packet::free(packet);
}

// All segments of a flow but the handshake have one size.
void FectcpSink::hand_over(Packet* packet) {
  const std::int64_t payload_bytes = hdr_cmn::access(packet)->size() - size_;
  for (const fectcp::Handover& handover : receiver_->handovers()) {
    const std::int64_t bytes = handover.source_symbols * payload_bytes;
    bytes_ += bytes;
    if (recorder_ != nullptr) recorder_->decoded(packet, handover.first_symbol, bytes);
    recvBytes(static_cast<int>(bytes));
  }
}

void FectcpSink::acknowledge(Packet* packet, const fectcp::Reply& reply) {
  Packet* ack = allocpkt();
  hdr_tcp* header = hdr_tcp::access(ack);
  header->seqno_ = static_cast<int>(reply.number);
  header->ts_ = Scheduler::instance().clock();
  header->ts_echo_ = hdr_tcp::access(packet)->ts_;
  header->sa_length_ = 2;
  header->sack_area_[0][0] = static_cast<int>(reply.first_open);
  header->sack_area_[0][1] = static_cast<int>(reply.first_received);
  header->sack_area_[1][0] = static_cast<int>(reply.block);
  header->sack_area_[1][1] = reply.is_decoded ? -1 : static_cast<int>(reply.received);
  hdr_ip::access(ack)->flowid() = hdr_ip::access(packet)->flowid();
  send(ack, nullptr);
}

NamedClass<FectcpSink> fectcp_sink_class("Agent/TCPSink/Fectcp");

}  // namespace

}  // namespace clift
