// Connectors and tracers that a script puts where records are taken.
#include <cstdlib>
#include <cstring>
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

// `new Clift/WindowTap RECORDER FLOW`: a tracer of an agent's cwnd_.
class WindowTap : public TclObject {
 public:
  WindowTap(Recorder* recorder, int flow) : recorder_(recorder), flow_(static_cast<std::uint16_t>(flow)) {}

  void trace(TracedVar* variable) override {
    recorder_->window(flow_, static_cast<double>(*static_cast<TracedDouble*>(variable)));
  }

 private:
  Recorder* recorder_;
  std::uint16_t flow_;
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
