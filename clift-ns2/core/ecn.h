// ECN codepoints of the IP header (RFC 3168, section 5).
#pragma once

#include <cstdint>

namespace clift {

enum class Ecn : std::uint8_t { not_ect = 0, ect_1 = 1, ect_0 = 2, ce = 3 };

}  // namespace clift
