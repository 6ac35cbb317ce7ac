// `new Clift/RandomLoss PROBABILITY`: a connector that loses packets at random, and counts them.
#include <cstring>

#include "connector.h"
#include "packet.h"
#include "random.h"

#include "core/words.h"
#include "failure.h"
#include "named_class.h"

namespace clift {

namespace {

class RandomLoss : public Connector {
 public:
  explicit RandomLoss(double probability) : probability_(probability) {}

  int command(int argc, const char* const* argv) override {
    if (argc == 2 && std::strcmp(argv[1], "lost") == 0) {
      Tcl::instance().resultf("%lld", lost_);
      return TCL_OK;
    }
    return Connector::command(argc, argv);
  }

  void recv(Packet* packet, Handler* handler) override {
    if (probability_ > 0.0 && Random::uniform() < probability_) {
      ++lost_;
      Packet::free(packet);
    } else {
      target_->recv(packet, handler);
    }
  }

 private:
  double probability_;
  long long lost_ = 0;
};

MadeClass random_loss_class("Clift/RandomLoss", [](int argc, const char* const* argv) -> TclObject* {
  if (argc != 5) fail("Clift/RandomLoss: needs a probability");
  const auto probability = number_in(argv[4], 0.0, 1.0);
  if (!probability) refuse("Clift/RandomLoss: the probability", argv[4], "0 to 1");
  return new RandomLoss(*probability);
});

}  // namespace

}  // namespace clift
