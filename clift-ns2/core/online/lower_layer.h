// A link layer that can carry another one: that layer decides in which slot it has a unit.
#pragma once

#include "core/online/link_layer.h"

namespace clift {

// The layer above offers a packet of one unit at the time of its slot.
class LowerLayer : public LinkLayer {
 public:
  struct Transmission {
    Nanoseconds tx_ns;
    bool is_new;  // a new unit; otherwise a retransmission
  };

  // Next transmission if packets wait since `data_ns`, or never. Its time is `never` if there is none.
  virtual Transmission next(Nanoseconds data_ns) = 0;

 protected:
  using LinkLayer::LinkLayer;
};

}  // namespace clift
