// `Clift/Substreams`: the substreams of ns-2's random number generators, found without passing those before them.
#include <cstring>

#include "rng.h"
#include "tclcl.h"

#include "core/words.h"
#include "failure.h"
#include "named_class.h"

namespace clift {

namespace {

constexpr long long most_skipped = 1'000'000'000'000;

// Moves a generator as so many `next-substream` do, each of which is 2^76 numbers.
void skip(RNG& generator, long long substreams) {
  constexpr long bits_of_substream = 76;
  generator.reset_start_substream();
  for (long bit = 0; substreams >> bit > 0; ++bit) {
    if ((substreams >> bit) % 2 == 1) generator.advance_state(bits_of_substream + bit, 0);
  }
  unsigned long state[6];
  generator.get_state(state);
  generator.set_seed(state);
}

class Substreams : public TclObject {
 public:
  // `skip GENERATOR NUMBER`
  int command(int argc, const char* const* argv) override {
    if (argc != 4 || std::strcmp(argv[1], "skip") != 0) return TclObject::command(argc, argv);
    auto* const generator = dynamic_cast<RNG*>(TclObject::lookup(argv[2]));
    if (generator == nullptr) refuse("Clift/Substreams: skip", argv[2], "a random number generator");
    const auto substreams = number_in(argv[3], 0LL, most_skipped);
    if (!substreams) refuse("Clift/Substreams: the number", argv[3], "0 to 1e12");
    skip(*generator, *substreams);
    return TCL_OK;
  }
};

NamedClass<Substreams> substreams_class("Clift/Substreams");

}  // namespace

}  // namespace clift
