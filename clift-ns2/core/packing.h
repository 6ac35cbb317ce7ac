// How packets lie in the rows of a link trace, or in the slots of a PHY trace.
#pragma once

namespace clift {

enum class Packing {
  padded,  // each packet begins in a row of its own
  packed,  // bytes follow each other: a row may end one packet and begin others
};

}  // namespace clift
