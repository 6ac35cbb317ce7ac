// What a run of consecutive rows comes to, in a time that hardly depends on how long the run is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/trace_file.h"
#include "core/time.h"

namespace clift {

// Rows first .. first + count - 1, taken together.
struct RowSummary {
  Nanoseconds settled_ns = 0;  // when the last of their fates is settled: max(tx + delay)
  bool lost = false;           // the scheme gave up one or more
  bool unsettled = false;      // one or more were open when the trace ended
};

inline RowSummary joined(const RowSummary& a, const RowSummary& b) {
  return {a.settled_ns > b.settled_ns ? a.settled_ns : b.settled_ns, a.lost || b.lost, a.unsettled || b.unsettled};
}

// Answers for any run of rows of one trace. The fate of an unsettled row counts as settled at the trace's last tx.
//
// Rows lie in blocks of 32, blocks in blocks of 32, and so on. With every item goes a word that tells where in its
// block the latest is of any run that ends with it (after Fischer and Heun, "Space-efficient preprocessing schemes for
// range minimum queries on static arrays", SIAM J. Comput. 40(2), 2011). A run is the parts of blocks at its two ends,
// and the whole blocks between them: a run one level up. Building takes O(n), a query two words on each of about
// log n / log 32 levels at most; all of it takes less than 5 bytes per row.
class RowSummaries {
 public:
  explicit RowSummaries(LinkRows rows);

  // Summary of the rows begin .. end - 1, with begin < end <= rows.count.
  RowSummary of(std::size_t begin, std::size_t end) const;

 private:
  using Bits = std::uint32_t;  // one for each item of a block
  static constexpr std::size_t block_size = 32;

  struct Block {
    Nanoseconds settled_ns = 0;  // the last of its items
    Bits lost = 0;
    Bits unsettled = 0;
  };

  struct Level {
    std::vector<Bits> latest;   // [item]: items of its block, up to it, settled later than all from there up to it
    std::vector<Block> blocks;  // [item / block_size]
  };

  template <class Summary>
  static Level level_of(std::size_t count, Summary summary);

  RowSummary row(std::size_t i) const;
  Nanoseconds settled_ns(std::size_t level, std::size_t item) const;
  RowSummary part(std::size_t level, std::size_t first, std::size_t last) const;

  LinkRows rows_;
  std::vector<Level> levels_;  // items of the lowest are rows, of each other one the blocks of the level below
};

}  // namespace clift
