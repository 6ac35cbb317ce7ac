// `Agent/TCPSink/Modern`: acknowledges every packet, with selective acknowledgements and duplicate reports (D-SACK).
// With `interval_` above 0 it acknowledges every second packet in order, and a single waiting one after that time.
// ns-2's Agent/TCPSink/Sack1 walks through its window for each packet and can lose duplicate reports.
#include "agent.h"
#include "ip.h"
#include "tcp.h"

#include "core/tcp/receiver.h"
#include "named_class.h"
#include "sim_time.h"
#include "timer.h"

namespace clift {

namespace {

class ModernSink : public Agent {
 public:
  ModernSink() : Agent(PT_ACK) {
    bind("packetSize_", &size_);
    bind_time("interval_", &interval_s_);
  }

  void recv(Packet* packet, Handler*) override {
    const hdr_tcp* data = hdr_tcp::access(packet);
    const std::int64_t before = receiver_.next();
    receiver_.delay_acks(interval_s_ > 0.0);
    const tcp::Reply& reply = receiver_.on_packet(data->seqno_, to_ns(data->ts_));
    // All packets of a flow but the SYN have one size.
    const std::int64_t bytes = (reply.ack - before) * hdr_cmn::access(packet)->size();
    if (bytes > 0) recvBytes(static_cast<int>(bytes));
    flow_ = hdr_ip::access(packet)->flowid();
    Packet::free(packet);
    if (reply.may_wait) {
      timer_.set_after(interval_s_);
    } else {
      timer_.cancel();
      acknowledge(reply);
    }
  }

 private:
  static constexpr int block_bytes = 8;

  void on_wait_over() { acknowledge(receiver_.on_wait_over()); }

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
    hdr_cmn::access(ack)->size() += block_bytes * header->sa_length_;
    hdr_ip::access(ack)->flowid() = flow_;
    send(ack, nullptr);
  }

  tcp::Receiver receiver_;
  Timer<ModernSink, &ModernSink::on_wait_over> timer_{*this};
  double interval_s_;
  int flow_ = 0;  // flow of the current packet
};

NamedClass<ModernSink> modern_sink_class("Agent/TCPSink/Modern");

}  // namespace

}  // namespace clift
