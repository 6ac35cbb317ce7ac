// What a run of consecutive rows comes to, in a time that does not depend on how long the run is.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace_file.h"
#include "core/time.h"

namespace clift {

// Rows first .. first + count - 1, taken together.
struct RowSummary {
  Nanoseconds settled_ns = 0;  // when the last of their fates is settled: max(tx + delay)
  std::int64_t lost = 0;       // rows that the scheme gave up
  std::int64_t unsettled = 0;  // rows that were open when the trace ended
};

RowSummary joined(const RowSummary& a, const RowSummary& b);

// Answers for any run of rows of one trace. The fate of an unsettled row counts as settled at the trace's last tx.
// Sums per block of rows and a sparse table of the blocks' maxima: building takes O(n), a query O(1).
class RowSummaries {
 public:
  explicit RowSummaries(LinkRows rows);

  // Summary of the rows begin .. end - 1, with begin < end <= rows.count.
  RowSummary of(std::size_t begin, std::size_t end) const;

 private:
  RowSummary scan(std::size_t begin, std::size_t end) const;
  RowSummary blocks(std::size_t begin, std::size_t end) const;

  LinkRows rows_;
  std::vector<std::int64_t> lost_before_;                // [n_blocks + 1]
  std::vector<std::int64_t> unsettled_before_;           // [n_blocks + 1]
  std::vector<std::vector<Nanoseconds>> last_settled_;   // [level][block]: of 2^level blocks
};

}  // namespace clift
