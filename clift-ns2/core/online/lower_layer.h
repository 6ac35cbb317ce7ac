// A link layer that can carry another one: that layer decides in which slot it has a unit.
#pragma once

#include <memory>

#include "core/online/link_layer.h"

namespace clift {

// The layer above offers a packet of one unit at the time of its slot.
class LowerLayer : public LinkLayer {
 public:
  using LinkLayer::LinkLayer;

  struct Transmission {
    Nanoseconds tx_ns;
    bool is_new;  // a new unit; otherwise what the layer sends by itself
    bool if_idle = false;  // it sends that only if no packet arrives by then: run it at the next nanosecond
  };

  // Next transmission if packets wait since `data_ns`, or never. Its time is `never` if there is none.
  virtual Transmission next(Nanoseconds data_ns) = 0;

  // Next event that may settle units, whose fates are not known when they are sent, or never: let it happen then.
  virtual Nanoseconds next_decoding_ns() const { return never; }

  // Time has passed until then: lets such events happen. The slots that have passed unused stay unused.
  virtual void pass(Nanoseconds until_ns) {
    if (next_decoding_ns() <= until_ns) run(until_ns);
  }
};

// The layer of a scheme other than rlc and go-back-n; the same conditions as in `make_link_layer`.
std::unique_ptr<LowerLayer> make_lower_layer(const LinkLayerOptions& options, SlotSource& slots);

}  // namespace clift
