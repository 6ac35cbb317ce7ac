// `new Clift/SendWindow TCP WINDOW`: limits an ns-2 sender to its receiver's advertised window, WINDOW segments at
// first. It gets the acknowledgements before the agent, replaces the application (`offer`), and passes no more data to
// the agent than the window allows. As tracer of `t_seqno_` it learns which segments were sent.
#include <algorithm>
#include <cstring>
#include <limits>

#include "connector.h"
#include "ip.h"
#include "tcp.h"

#include "core/proxy/send_window.h"
#include "core/words.h"
#include "failure.h"
#include "named_class.h"
#include "sim_time.h"
#include "timer.h"
#include "window_header.h"

namespace clift {

namespace {

class SendWindow : public Connector {
 public:
  SendWindow(TcpAgent* tcp, std::int64_t window) : window_(window), tcp_(tcp), network_(tcp->target()) {
    target_ = tcp;
  }

  int command(int argc, const char* const* argv) override;
  void recv(Packet* packet, Handler* handler) override;
  void trace(TracedVar* variable) override;

 private:
  static constexpr int empty_packet_bytes = 40;

  void offer(const char* segments);
  void give();
  void probe();
  void arm() { timer_.arm(window_.next_probe_ns()); }

  proxy::SendWindow window_;
  TcpAgent* tcp_;
  NsObject* network_;             // target of probes, behind the taps
  DeadlineTimer<SendWindow, &SendWindow::probe> timer_{*this};
  std::int64_t given_ = 0;  // data segments passed to TCP
};

// `offer N`: the application has N more segments; -1: endless.
int SendWindow::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "offer") == 0) {
    offer(argv[2]);
    return TCL_OK;
  }
  if (argc == 2 && std::strcmp(argv[1], "counters") == 0) {
    Tcl::instance().resultf("held_ns %lld window_probes %lld", static_cast<long long>(window_.held_ns(now_ns())),
                            static_cast<long long>(window_.probes()));
    return TCL_OK;
  }
  return Connector::command(argc, argv);
}

// Segment 0 is the SYN, which carries no data.
void SendWindow::offer(const char* segments) {
  const auto more = number_in<std::int64_t>(segments, -1, std::numeric_limits<std::int64_t>::max());
  if (!more) refuse("Clift/SendWindow: offer", segments, "a number of segments, or -1 (without end)");
  const std::int64_t before = std::max<std::int64_t>(window_.total(), 1);
  const bool is_endless = *more < 0 || *more >= TCP_MAXSEQ - before;
  window_.offer(now_ns(), is_endless ? TCP_MAXSEQ : before + *more);
  give();
}

void SendWindow::recv(Packet* packet, Handler* handler) {
  const hdr_clift_window window = *hdr_clift_window::access(packet);
  const bool is_new = window_.on_ack(now_ns(), hdr_tcp::access(packet)->seqno() + 1, window.end);
  give();
  hdr_clift_window::access(packet)->end = 0;  // TCP does not get all updates: its window must not follow the others
  // A window update without new data is no duplicate acknowledgement, and its timestamp is old: TCP does not get it.
  if (window.kind == hdr_clift_window::update && !is_new) {
    Packet::free(packet);
  } else {
    target_->recv(packet, handler);
  }
  arm();
}

void SendWindow::trace(TracedVar* variable) {
  window_.on_sent(now_ns(), static_cast<int>(*static_cast<TracedInt*>(variable)));
  arm();
}

// Passes the segments that the window allows to TCP.
void SendWindow::give() {
  const std::int64_t data = window_.allowed() - 1;
  if (data > given_) {
    const auto more = static_cast<int>(data - given_);
    given_ = data;
    tcp_->advanceby(more);
  }
  arm();
}

// An empty packet with the number of a segment that has arrived.
void SendWindow::probe() {
  if (window_.next_probe_ns() <= now_ns()) {
    window_.on_probe(now_ns());
    Packet* packet = Packet::alloc();
    hdr_cmn* common = hdr_cmn::access(packet);
    common->ptype() = PT_TCP;
    common->size() = empty_packet_bytes;
    common->timestamp() = Scheduler::instance().clock();
    hdr_ip* ip = hdr_ip::access(packet);
    ip->saddr() = tcp_->addr();
    ip->sport() = tcp_->port();
    ip->daddr() = tcp_->daddr();
    ip->dport() = tcp_->dport();
    ip->ttl() = IP_DEF_TTL;
    hdr_tcp* header = hdr_tcp::access(packet);
    header->seqno_ = static_cast<int>(window_.una()) - 1;
    header->ts_ = Scheduler::instance().clock();
    hdr_clift_window::access(packet)->kind = hdr_clift_window::probe;
    network_->recv(packet, static_cast<Handler*>(nullptr));
  }
  arm();
}

MadeClass send_window_class("Clift/SendWindow", [](int argc, const char* const* argv) -> TclObject* {
  hdr_clift_window::check_named("Clift/SendWindow");
  auto* tcp = argc == 6 ? dynamic_cast<TcpAgent*>(TclObject::lookup(argv[4])) : nullptr;
  const auto window =
      argc == 6 ? number_in<std::int64_t>(argv[5], 1, std::numeric_limits<std::int64_t>::max()) : std::nullopt;
  if (tcp == nullptr || tcp->target() == nullptr || !window) {
    fail("Clift/SendWindow: needs a TCP sender that is attached to a node, and a window of 1 or more");
  }
  return new SendWindow(tcp, *window);
});

}  // namespace

}  // namespace clift
