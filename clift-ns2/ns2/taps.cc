// Connectors and tracers that a script puts where records are taken.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "failure.h"
#include "recorder.h"

namespace clift {

namespace {

using schema::PacketEvent;

// `new Clift/Tap RECORDER sent|received|queue_dropped ?FLOW DIRECTION?`: passes packets on from an agent (which
// needs flow and direction), to an agent, or from a queue to where its dropped packets go; and records them.
class Tap : public Connector {
 public:
  Tap(Recorder* recorder, PacketEvent event, int flow, int direction)
      : recorder_(recorder),
        event_(event),
        flow_(static_cast<std::uint16_t>(flow)),
        direction_(static_cast<std::uint8_t>(direction)) {}

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

// `new Clift/WindowTap RECORDER FLOW`: a tracer of an agent's `cwnd_`, `ssthresh_`, `srtt_s_` and `ca_state_`. What
// an agent does not have keeps its value here: no threshold, no round-trip time, state open.
class WindowTap : public TclObject {
 public:
  WindowTap(Recorder* recorder, int flow) : recorder_(recorder) {
    known_.flow = static_cast<std::uint16_t>(flow);
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
  schema::WindowRecord known_;
};

Recorder* recorder_called(const char* name) {
  auto* recorder = dynamic_cast<Recorder*>(TclObject::lookup(name));
  if (recorder == nullptr) fail(std::string(name) + ": this is no Clift/Recorder");
  return recorder;
}

// Tcl passes four words of its own before those of the script.
class TapClass : public TclClass {
 public:
  TapClass() : TclClass("Clift/Tap") {}
  TclObject* create(int argc, const char* const* argv) override {
    if (argc == 8 && std::strcmp(argv[5], "sent") == 0) {
      return new Tap(recorder_called(argv[4]), PacketEvent::sent, std::atoi(argv[6]), std::atoi(argv[7]));
    }
    if (argc == 6 && std::strcmp(argv[5], "received") == 0) {
      return new Tap(recorder_called(argv[4]), PacketEvent::received, 0, 0);
    }
    if (argc == 6 && std::strcmp(argv[5], "queue_dropped") == 0) {
      return new Tap(recorder_called(argv[4]), PacketEvent::queue_dropped, 0, 0);
    }
    fail("Clift/Tap: needs a recorder and received, queue_dropped, or sent with flow and direction");
  }
} tap_class;

class WindowTapClass : public TclClass {
 public:
  WindowTapClass() : TclClass("Clift/WindowTap") {}
  TclObject* create(int argc, const char* const* argv) override {
    if (argc != 6) fail("Clift/WindowTap: needs a recorder and a flow");
    return new WindowTap(recorder_called(argv[4]), std::atoi(argv[5]));
  }
} window_tap_class;

}  // namespace

}  // namespace clift
