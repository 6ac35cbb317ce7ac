// `Agent/TCP/Fectcp`: a sender with coding instead of retransmissions, between an application and Agent/TCPSink/Fectcp.
// It binds ns-2's packets, timers and traced variables to core/fectcp, which makes all decisions.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>

#include "agent.h"
#include "tcp.h"

#include "core/fectcp/sender.h"
#include "failure.h"
#include "named_class.h"
#include "sender_agent.h"
#include "sim_time.h"

namespace clift {

namespace {

class Fectcp : public SenderAgent {
 public:
  Fectcp() : SenderAgent("Agent/TCP/Fectcp") {
    bind("alpha_", &alpha_);
    bind("block_segments_", &block_segments_);
  }

  void recv(Packet* packet, Handler* handler) override;
  int command(int argc, const char* const* argv) override;

 private:
  void start();
  void transmit(const fectcp::OutgoingSegment& segment);
  void offer() override;
  Nanoseconds next_deadline_ns() const override { return sender_->next_deadline_ns(); }
  void on_deadline() override { sender_->on_timer(now_ns()); }
  void show() override;

  std::unique_ptr<fectcp::Sender> sender_;  // from the first segment on
  double alpha_;
  int block_segments_;
  fectcp::DecodingOverhead overhead_;
};

int Fectcp::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "overhead") == 0) {
    try {
      overhead_ = fectcp::DecodingOverhead::parse(argv[2]);
    } catch (const std::invalid_argument& error) {
      fail(std::string("Agent/TCP/Fectcp: ") + error.what());
    }
    return TCL_OK;
  }
  return TcpAgent::command(argc, argv);
}

void Fectcp::start() {
  if (!lies_within(alpha_, 0.0, 1.0) || alpha_ == 0.0 || alpha_ == 1.0) {
    refuse("Agent/TCP/Fectcp: alpha_", shown(alpha_), "a number between 0 and 1");
  }
  if (block_segments_ < 1) refuse("Agent/TCP/Fectcp: block_segments_", shown(block_segments_), "1 or more");
  fectcp::SenderOptions options;
  options.alpha = alpha_;
  options.window_packets = std::max<std::int64_t>(1, std::llround(wnd_));
  options.block_symbols = block_segments_;
  sender_ = std::make_unique<fectcp::Sender>(
      options, overhead_, [this](const fectcp::OutgoingSegment& segment) { transmit(segment); });
}

void Fectcp::offer() {
  if (sender_ == nullptr) start();
  sender_->offer(now_ns(), static_cast<int>(curseq_));
}

void Fectcp::recv(Packet* packet, Handler*) {
  if (sender_ == nullptr) {  // no segment was sent
    Packet::free(packet);
    return;
  }
  if (hdr_cmn::access(packet)->ptype() != PT_ACK) {
    fail("Agent/TCP/Fectcp: gets a packet that is not an acknowledgement; connect it to an Agent/TCPSink/Fectcp");
  }
  const hdr_tcp* header = hdr_tcp::access(packet);
  ++nackpack_;
  fectcp::Reply reply;
  reply.number = header->seqno_;
  reply.first_open = header->sack_area_[0][0];
  reply.first_received = header->sack_area_[0][1];
  reply.block = header->sack_area_[1][0];
  reply.is_decoded = header->sack_area_[1][1] < 0;
  reply.received = std::max(0, header->sack_area_[1][1]);
  if (reply.number == 0) reply.handshake_ns = to_ns(header->ts_echo_);
  Packet::free(packet);
  sender_->on_ack(now_ns(), reply);
  update();
  if (sender_->is_done()) complete();
}

// A segment holds the number of its block and the block's number of source symbols.
void Fectcp::transmit(const fectcp::OutgoingSegment& segment) {
  Packet* packet = allocpkt();
  hdr_tcp* header = hdr_tcp::access(packet);
  header->seqno_ = static_cast<int>(segment.number);
  header->ts_ = Scheduler::instance().clock();
  header->reason_ = 0;
  header->sa_length_ = 1;
  header->sack_area_[0][0] = static_cast<int>(segment.block);
  header->sack_area_[0][1] = static_cast<int>(segment.source_symbols);
  hdr_cmn* common = hdr_cmn::access(packet);
  ++ndatapack_;
  if (segment.number == 0) {
    common->size() = tcpip_base_hdr_size_;
  } else {
    ndatabytes_ = ndatabytes_ + common->size();
    common->size() += headersize();
  }
  send(packet, nullptr);
}

// Shows the window's state as one of two of Linux's states: 0, open, and 3, reduced.
void Fectcp::show() {
  const fectcp::Sender& sender = *sender_;
  cwnd_ = sender.cwnd();
  ssthresh_ = static_cast<int>(std::min(sender.ssthresh(), static_cast<double>(std::numeric_limits<int>::max())));
  srtt_s_ = to_seconds(sender.round_trip().srtt_ns());
  ca_state_ = sender.is_reduced() ? 3 : 0;
  highest_ack_ = static_cast<int>(sender.segments().first()) - 1;
  t_seqno_ = static_cast<int>(sender.segments().next());
  maxseq_ = static_cast<int>(sender.segments().next()) - 1;
  nrexmit_ = static_cast<int>(sender.counters().reductions);
}

NamedClass<Fectcp> fectcp_class("Agent/TCP/Fectcp");

}  // namespace

}  // namespace clift
