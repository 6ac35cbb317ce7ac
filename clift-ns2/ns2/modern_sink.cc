// `Agent/TCPSink/Modern`: acknowledges every packet, or with `delayed_acks_` by the rule of Linux, with selective
// acknowledgements and duplicate reports (D-SACK). With `dctcp_echo_` it echoes marks as DCTCP's receivers do. `receive_buffer MOST_BYTES PACKET_BYTES ?FIRST_BYTES?` bounds its
// buffer, which grows as Linux's does, from its usual size or from FIRST_BYTES: scripts that call it call `add-packet-header CliftWindow` before `new Simulator`.
// ns-2's Agent/TCPSink/Sack1 walks through its window for each packet and can lose duplicate reports.
#include <algorithm>
#include <cstring>

#include "agent.h"
#include "ip.h"
#include "tcp-full.h"
#include "tcp.h"

#include "core/tcp/receiver.h"
#include "core/words.h"
#include "ecn_bits.h"
#include "failure.h"
#include "named_class.h"
#include "sim_time.h"
#include "timer.h"
#include "window_header.h"

namespace clift {

namespace {

class ModernSink : public Agent {
 public:
  ModernSink() : Agent(PT_ACK) {
    bind("packetSize_", &size_);
    bind_bool("delayed_acks_", &delayed_acks_);
    bind_bool("dctcp_echo_", &dctcp_echo_);
  }

  int command(int argc, const char* const* argv) override {
    if ((argc != 4 && argc != 5) || std::strcmp(argv[1], "receive_buffer") != 0) return Agent::command(argc, argv);
    hdr_clift_window::check_named("Agent/TCPSink/Modern");
    const auto most = number_in<std::int64_t>(argv[2], 4096, 1'073'741'824);
    if (!most) refuse("Agent/TCPSink/Modern: receive_buffer", argv[2], "4096 to 1073741824 bytes");
    const auto packet = number_in<std::int64_t>(argv[3], size_ + 1, 65'535);
    if (!packet) refuse("Agent/TCPSink/Modern: receive_buffer", argv[3], "a packet with payload, of at most 65535 bytes");
    tcp::ReceiveWindowOptions options{*most, *packet - size_, *packet};
    if (argc == 5) {
      const auto first = number_in<std::int64_t>(argv[4], 4096, *most);
      if (!first) refuse("Agent/TCPSink/Modern: receive_buffer", argv[4], "4096 bytes to the largest buffer at first");
      options.first_bytes = *first;
    }
    receiver_.limit(options);
    return TCL_OK;
  }

  void recv(Packet* packet, Handler*) override {
    hdr_tcp* data = hdr_tcp::access(packet);  // flags() is not const
    const std::int64_t before = receiver_.next();
    receiver_.delay_acks(delayed_acks_ != 0);
    const bool pushed = (data->flags() & TH_PUSH) != 0;
    const Nanoseconds timestamp_ns = data->ts_ >= 0.0 ? to_ns(data->ts_) : -1;
    const Nanoseconds echo_ns = data->ts_echo_ > 0.0 ? to_ns(data->ts_echo_) : -1;
    const tcp::EcnFlags ecn{codepoint_of(packet), ace_of(packet)};
    receiver_.echo_each_mark(dctcp_echo_ != 0);
    const tcp::Reply& reply = receiver_.on_packet({data->seqno_, timestamp_ns, now_ns(), pushed, echo_ns, ecn});
    // All packets of a flow but the SYN have one size.
    const std::int64_t bytes = (reply.ack - before) * hdr_cmn::access(packet)->size();
    if (bytes > 0) recvBytes(static_cast<int>(bytes));
    flow_ = hdr_ip::access(packet)->flowid();
    Packet::free(packet);
    acknowledge_if_due();
  }

 private:
  static constexpr int block_bytes = 8;

  void acknowledge_if_due() {
    while (const tcp::Reply* reply = receiver_.take_reply(now_ns())) acknowledge(*reply);
    timer_.arm(receiver_.deadline_ns());
  }

  void acknowledge(const tcp::Reply& reply) {
    Packet* ack = allocpkt();
    hdr_tcp* header = hdr_tcp::access(ack);
    header->seqno_ = static_cast<int>(reply.ack) - 1;
    header->ts_ = Scheduler::instance().clock();
    header->ts_echo_ = reply.echo_ns < 0 ? 0.0 : to_seconds(reply.echo_ns);
    header->sa_length_ = 0;
    for (const auto& [left, right] : reply.blocks) {
      header->sack_area_[header->sa_length_][0] = static_cast<int>(left);
      header->sack_area_[header->sa_length_][1] = static_cast<int>(right);
      ++header->sa_length_;
    }
    if (receiver_.is_limited()) {
      // Packet numbers end at TCP_MAXSEQ.
      const auto end = std::min<std::int64_t>(reply.window_end, TCP_MAXSEQ);
      *hdr_clift_window::access(ack) = {static_cast<std::int32_t>(end), hdr_clift_window::plain};
    }
    set_ecn(ack, {Ecn::not_ect, reply.ace});
    hdr_cmn::access(ack)->size() += block_bytes * header->sa_length_;
    hdr_ip::access(ack)->flowid() = flow_;
    send(ack, nullptr);
  }

  tcp::Receiver receiver_;
  DeadlineTimer<ModernSink, &ModernSink::acknowledge_if_due> timer_{*this};
  int delayed_acks_;
  int dctcp_echo_;
  int flow_ = 0;  // flow of the current packet
};

NamedClass<ModernSink> modern_sink_class("Agent/TCPSink/Modern");

}  // namespace

}  // namespace clift
