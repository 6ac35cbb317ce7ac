// The counters of an emulation, as `counters.tsv`: one line NAME<tab>INTEGER for each.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulate/wire.h"

namespace clift {

using Counters = std::vector<std::pair<std::string, std::int64_t>>;

// Counters of a direction; `prefix` begins their names.
Counters counters_of(const Wire::Direction& direction, const std::string& prefix, Nanoseconds now_ns);

// Writes the file whole or not at all.
void write_counters(const std::string& path, const Counters& counters);

}  // namespace clift
