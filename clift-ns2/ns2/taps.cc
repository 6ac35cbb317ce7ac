// Connectors and tracers that take records.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "core/words.h"
#include "failure.h"
#include "named_class.h"
#include "recorder.h"

namespace clift {

namespace {

using schema::PacketEvent;

// `new Clift/Tap RECORDER sent|received|queue_dropped ?FLOW DIRECTION?`: records packets and passes them on, from an
// agent (this needs flow and direction), to an agent, or from a queue to the target of its dropped packets.
class Tap : public Connector {
 public:
  Tap(Recorder* recorder, PacketEvent event, std::uint16_t flow = 0, std::uint8_t direction = 0)
      : recorder_(recorder), event_(event), flow_(flow), direction_(direction) {}

  void recv(Packet* packet, Handler* handler) override {
    if (event_ == PacketEvent::sent) {
      recorder_->sent(packet, flow_, direction_);
    } else {
      recorder_->met(packet, event_);
    }
    target_->recv(packet, handler);
  }

 private:
  Recorder* recorder_;
  PacketEvent event_;
  std::uint16_t flow_;
  std::uint8_t direction_;
};

// `new Clift/WindowTap RECORDER FLOW`: a tracer of an agent's `cwnd_`, `ssthresh_`, `srtt_s_`, `ca_state_` and
// `pacing_bps_`. A variable that the agent lacks keeps its initial value: no threshold, no round-trip time, state open, no
// pacing.
class WindowTap : public TclObject {
 public:
  WindowTap(Recorder* recorder, std::uint16_t flow) : recorder_(recorder) {
    known_.flow = flow;
    known_.cwnd_packets = 0;
    known_.ssthresh_packets = std::numeric_limits<double>::infinity();
    known_.srtt_ns = schema::unsettled;
    known_.state = static_cast<std::uint8_t>(schema::CongestionState::open);
  }

  void trace(TracedVar* variable) override {
    const std::string name = variable->name();
    if (name == "cwnd_") {
      known_.cwnd_packets = number(variable);
    } else if (name == "ssthresh_") {
      known_.ssthresh_packets = number(variable);
    } else if (name == "srtt_s_") {
      const double srtt_s = number(variable);
      known_.srtt_ns = srtt_s > 0 ? std::llround(srtt_s * 1e9) : schema::unsettled;
    } else if (name == "pacing_bps_") {
      known_.pacing_bps = number(variable);
    } else {
      known_.state = static_cast<std::uint8_t>(number(variable));
    }
    recorder_->window(known_);
  }

 private:
  static double number(TracedVar* variable) {
    if (auto* integer = dynamic_cast<TracedInt*>(variable)) return static_cast<int>(*integer);
    return static_cast<double>(*static_cast<TracedDouble*>(variable));
  }

  Recorder* recorder_;
  schema::WindowRecord known_{};
};

std::uint16_t flow_in(const char* word) {
  const auto flow = number_in<std::uint16_t>(word, 0, std::numeric_limits<std::uint16_t>::max());
  if (!flow) refuse("flow", word, "0 to 65535");
  return *flow;
}

std::uint8_t direction_in(const char* word) {
  const auto direction = number_in<std::uint8_t>(word, 0, 1);
  if (!direction) refuse("direction", word, "0 (forward) or 1 (return)");
  return *direction;
}

MadeClass tap_class("Clift/Tap", [](int argc, const char* const* argv) -> TclObject* {
  if (argc == 8 && std::strcmp(argv[5], "sent") == 0) {
    return new Tap(Recorder::called(argv[4]), PacketEvent::sent, flow_in(argv[6]), direction_in(argv[7]));
  }
  if (argc == 6 && std::strcmp(argv[5], "received") == 0) {
    return new Tap(Recorder::called(argv[4]), PacketEvent::received);
  }
  if (argc == 6 && std::strcmp(argv[5], "queue_dropped") == 0) {
    return new Tap(Recorder::called(argv[4]), PacketEvent::queue_dropped);
  }
  fail("Clift/Tap: needs a recorder and received, queue_dropped, or sent with flow and direction");
});

MadeClass window_tap_class("Clift/WindowTap", [](int argc, const char* const* argv) -> TclObject* {
  if (argc != 6) fail("Clift/WindowTap: needs a recorder and a flow");
  return new WindowTap(Recorder::called(argv[4]), flow_in(argv[5]));
});

}  // namespace

}  // namespace clift
