// `new Clift/Proxy TCP CAPACITY DELAY_S`: one connection of a proxy. Its receiver and its sender, TCP, are ordinary
// agents. Ports (`Clift/ProxyPort`) connect them to the network, and core/proxy makes the decisions.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "connector.h"
#include "tcp.h"

#include "core/proxy/relay.h"
#include "core/words.h"
#include "failure.h"
#include "named_class.h"
#include "recorder.h"
#include "sim_time.h"
#include "timer.h"
#include "window_header.h"

namespace clift {

namespace {

struct FreePacket {
  void operator()(Packet* packet) const { Packet::free(packet); }
};

class Proxy : public TclObject {
 public:
  Proxy(TcpAgent* tcp, const proxy::RelayOptions& options) : relay_(options), tcp_(tcp) {}

  int command(int argc, const char* const* argv) override;

  // Data from the first sender; returns whether the proxy's receiver gets them.
  bool takes(Packet* packet);

  // Data on their way to the far receiver.
  void forwards(Packet* packet);

  // An acknowledgement from the proxy's receiver, on its way to `network`.
  void answers(Packet* packet, NsObject* network);

  // An acknowledgement from the far receiver, after it has reached the proxy's sender.
  void learns(Packet* packet);
  void ends();

 private:
  proxy::Origin remember(Packet* packet);
  void release();
  void update();
  void stamp(Packet* packet, hdr_clift_window::Kind kind);

  proxy::Relay relay_;
  TcpAgent* tcp_;
  DeadlineTimer<Proxy, &Proxy::release> timer_{*this};
  std::int64_t given_ = 0;           // data segments passed to the onward connection
  std::int64_t expected_ = 0;        // segments of the transfer; 0: endless
  bool is_done_ = false;
  std::int64_t updates_ = 0;
  hdr_clift identity_{};             // header that taps have written into the first sender's packets
  std::unique_ptr<Packet, FreePacket> last_answer_;  // template of window updates
  NsObject* network_ = nullptr;      // target of acknowledgements
};

// `expect N`: the transfer has N data segments; `done` is called when the far receiver has all of them.
int Proxy::command(int argc, const char* const* argv) {
  if (argc == 3 && std::strcmp(argv[1], "expect") == 0) {
    const auto segments = number_in<std::int64_t>(argv[2], 0, std::numeric_limits<std::int64_t>::max() - 1);
    if (!segments) refuse("Clift/Proxy: expect", argv[2], "a number of segments");
    expected_ = *segments + 1;
    return TCL_OK;
  }
  if (argc == 2 && std::strcmp(argv[1], "counters") == 0) {
    Tcl::instance().resultf(
        "proxy_fill %lld proxy_most_fill %lld proxy_refused %lld proxy_duplicates %lld window_updates %lld",
        static_cast<long long>(relay_.fill()), static_cast<long long>(relay_.most_fill()),
        static_cast<long long>(relay_.refused()), static_cast<long long>(relay_.duplicates()),
        static_cast<long long>(updates_));
    return TCL_OK;
  }
  return TclObject::command(argc, argv);
}

bool Proxy::takes(Packet* packet) {
  const bool is_probe = hdr_clift_window::access(packet)->kind == hdr_clift_window::probe;
  if (!is_probe) {
    const proxy::Origin origin = remember(packet);
    if (relay_.on_segment(now_ns(), hdr_tcp::access(packet)->seqno(), origin) != proxy::Arrival::refused) {
      release();
      return true;
    }
  }
  Packet::free(packet);
  update();
  return false;
}

// Header that a tap has written into the packet, if any.
proxy::Origin Proxy::remember(Packet* packet) {
  if (hdr_clift::offset_ < 0 || hdr_clift::access(packet)->tapped == 0) return {};
  identity_ = *hdr_clift::access(packet);
  return {identity_.sent_ns, identity_.transmission};
}

// Passes processed segments to the onward connection. Segment 0 is the SYN, which each connection makes itself.
void Proxy::release() {
  const std::int64_t data = relay_.released(now_ns()) - 1;
  timer_.arm(relay_.next_release_ns());
  if (data > given_) {
    const auto more = static_cast<int>(data - given_);
    given_ = data;
    tcp_->advanceby(more);
  }
}

// Keeps the first sender's sending time, so that the record of the arriving packet holds it.
void Proxy::forwards(Packet* packet) {
  const std::int64_t sequence = hdr_tcp::access(packet)->seqno();
  if (identity_.tapped == 0 || !relay_.holds(sequence)) return;
  hdr_clift* header = hdr_clift::access(packet);
  *header = identity_;
  header->sent_ns = relay_.origin(sequence).sent_ns;
  header->transmission = relay_.origin(sequence).transmission;
}

void Proxy::answers(Packet* packet, NsObject* network) {
  network_ = network;
  stamp(packet, hdr_clift_window::plain);
  last_answer_.reset(packet->copy());
}

void Proxy::learns(Packet* packet) {
  relay_.on_forwarded(hdr_tcp::access(packet)->seqno() + 1);
  if (relay_.owes_update()) update();
}

void Proxy::ends() {
  const bool is_endless = expected_ == 0;
  if (is_endless || is_done_ || relay_.una() != expected_) return;
  is_done_ = true;
  Tcl::instance().evalf("%s done", name());
}

// Repeats the last acknowledgement with the present window.
void Proxy::update() {
  if (last_answer_ == nullptr) return;
  ++updates_;
  Packet* packet = last_answer_->copy();
  hdr_tcp::access(packet)->ts_ = Scheduler::instance().clock();
  stamp(packet, hdr_clift_window::update);
  network_->recv(packet, static_cast<Handler*>(nullptr));
}

void Proxy::stamp(Packet* packet, hdr_clift_window::Kind kind) {
  relay_.tell();
  // Segment numbers end at TCP_MAXSEQ, so a larger window has no effect.
  const std::int64_t end = std::min<std::int64_t>(relay_.window_end(), TCP_MAXSEQ);
  *hdr_clift_window::access(packet) = {static_cast<std::int32_t>(end), kind};
}

// `new Clift/ProxyPort PROXY ROLE`: a connector before (`data_in`) or behind (`answers_out`) the proxy's receiver, or
// before (`acks_in`) or behind (`data_out`) its sender.
class ProxyPort : public Connector {
 public:
  enum Role { data_in, answers_out, data_out, acks_in };

  ProxyPort(Proxy* proxy, Role role) : proxy_(proxy), role_(role) {}

  void recv(Packet* packet, Handler* handler) override {
    switch (role_) {
      case data_in:
        if (!proxy_->takes(packet)) return;
        break;
      case answers_out:
        proxy_->answers(packet, target_);
        break;
      case data_out:
        proxy_->forwards(packet);
        break;
      case acks_in:
        proxy_->learns(packet);
        break;
    }
    target_->recv(packet, handler);
    if (role_ == acks_in) proxy_->ends();
  }

 private:
  Proxy* proxy_;
  Role role_;
};

MadeClass proxy_class("Clift/Proxy", [](int argc, const char* const* argv) -> TclObject* {
  hdr_clift_window::check_named("Clift/Proxy");
  if (argc != 7) fail("Clift/Proxy: needs a TCP sender, a capacity and a delay");
  auto* tcp = dynamic_cast<TcpAgent*>(TclObject::lookup(argv[4]));
  if (tcp == nullptr) fail(std::string("Clift/Proxy: ") + argv[4] + " is no TCP sender");
  const auto capacity = number_in<std::int64_t>(argv[5], 2, std::numeric_limits<std::int64_t>::max());
  if (!capacity) refuse("Clift/Proxy: capacity", argv[5], "2 or more");
  const auto delay_s = number_in(argv[6], 0.0, 4e9);
  if (!delay_s) refuse("Clift/Proxy: delay", argv[6], "a time in seconds, from 0");
  return new Proxy(tcp, {std::min<std::int64_t>(*capacity, TCP_MAXSEQ), to_ns(*delay_s)});
});

MadeClass proxy_port_class("Clift/ProxyPort", [](int argc, const char* const* argv) -> TclObject* {
  constexpr const char* roles[] = {"data_in", "answers_out", "data_out", "acks_in"};
  auto* proxy = argc == 6 ? dynamic_cast<Proxy*>(TclObject::lookup(argv[4])) : nullptr;
  for (int role = 0; proxy != nullptr && role < 4; ++role) {
    if (std::strcmp(argv[5], roles[role]) == 0) return new ProxyPort(proxy, static_cast<ProxyPort::Role>(role));
  }
  fail("Clift/ProxyPort: needs a proxy and data_in, answers_out, data_out or acks_in");
});

}  // namespace

}  // namespace clift
