// A link layer that can carry another one: that layer decides in which slot it has a unit.
#pragma once

#include "core/online/link_layer.h"

namespace clift {

// The layer above offers a packet of one unit at the time of its slot.
class LowerLayer : public LinkLayer {
 public:
  struct Transmission {
    Nanoseconds tx_ns;
    bool is_new;  // a new unit; otherwise what the layer sends by itself
    bool if_idle = false;  // it sends that only if no packet arrives by then: run it at the next nanosecond
  };

  // Next transmission if packets wait since `data_ns`, or never. Its time is `never` if there is none.
  virtual Transmission next(Nanoseconds data_ns) = 0;

  // Next arrival that may settle units, whose fates are not known when they are sent, or never: run it then.
  virtual Nanoseconds next_decoding_ns() const { return never; }

 protected:
  using LinkLayer::LinkLayer;
};

}  // namespace clift
