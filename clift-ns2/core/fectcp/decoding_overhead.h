// Decoding overhead of a rateless code, the number of encoded symbols that a block needs beyond its source symbols: a
// measured distribution or a fixed share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace clift::fectcp {

// Without overhead until it is parsed.
class DecodingOverhead {
 public:
  // "5%": that share of the source symbols, rounded up. "0:9901,1:98,2:1": numbers of symbols with their weights.
  // Throws std::invalid_argument, whose message names the allowed forms.
  static DecodingOverhead parse(const std::string& text);

  // The overhead of one block; `uniform` lies in [0, 1).
  std::int64_t draw(std::int64_t source_symbols, double uniform) const;

  // The least overhead that decodes with a probability of at least one half, given that overhead `spent` did not
  // suffice; `spent` -1: fewer symbols than source symbols have arrived.
  std::int64_t likely_beyond(std::int64_t source_symbols, std::int64_t spent) const;

 private:
  double share_ = 0.0;
  std::vector<std::pair<std::int64_t, double>> cumulative_;  // overhead, cumulative weight; empty: the share counts
};

}  // namespace clift::fectcp
