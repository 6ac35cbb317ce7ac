// `new Clift/RandomLoss PROBABILITY`: a connector that loses packets at random, and counts them.
#include <cstdlib>
#include <cstring>
#include <string>

#include "connector.h"
#include "packet.h"
#include "random.h"

#include "failure.h"

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

class RandomLossClass : public TclClass {
 public:
  RandomLossClass() : TclClass("Clift/RandomLoss") {}
  TclObject* create(int argc, const char* const* argv) override {
    if (argc != 5) fail("Clift/RandomLoss: needs a probability");
    const double probability = std::strtod(argv[4], nullptr);
    if (!(probability >= 0.0 && probability <= 1.0)) {
      fail(std::string("Clift/RandomLoss: the probability is ") + argv[4] + "; allowed is 0 to 1");
    }
    return new RandomLoss(probability);
  }
} random_loss_class;

}  // namespace

}  // namespace clift
