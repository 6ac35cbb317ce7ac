// How many encoded symbols more than source symbols a rateless code needs before a block can be decoded: a distribution
// that was measured, or a fixed share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace clift::fectcp {

class DecodingOverhead {
 public:
  // "5%": that share of the source symbols, rounded up. "0:9901,1:98,2:1": so many symbols with such weights.
  // Throws std::invalid_argument, which says what is allowed.
  static DecodingOverhead parse(const std::string& text);

  // The overhead of one block; `uniform` lies in [0, 1).
  std::int64_t draw(std::int64_t source_symbols, double uniform) const;

  // The least overhead beyond `spent` that decodes with a probability of at least one half, when `spent` has not
  // sufficed; -1: not all of the source symbols' number have arrived.
  std::int64_t likely_beyond(std::int64_t source_symbols, std::int64_t spent) const;

 private:
  double share_ = -1.0;  // negative: the weights count
  std::vector<std::pair<std::int64_t, double>> cumulative_;  // overhead, weight of it and of all below it
};

}  // namespace clift::fectcp
