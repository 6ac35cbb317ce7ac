// Summary of a run of consecutive rows, without a look at each of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/prefetch.h"
#include "core/trace_file.h"
#include "core/time.h"

namespace clift {

// From the best to the worst. A row was open when the trace ended (unsettled), or the scheme gave it up (lost).
enum class Fate { delivered, unsettled, lost };

// Rows of a run, taken together.
struct RowSummary {
  Nanoseconds sent_ns = 0;      // when the last row is sent
  Nanoseconds settled_ns = 0;   // when the last of their fates is settled: max(tx + delay)
  Fate fate = Fate::delivered;  // the worst one
};

inline RowSummary joined(const RowSummary& a, const RowSummary& b) {
  return {std::max(a.sent_ns, b.sent_ns), std::max(a.settled_ns, b.settled_ns), std::max(a.fate, b.fate)};
}

// Summaries of any run of rows of one trace. An unsettled row counts as settled at the trace's last tx.
//
// Each row stores the distance back to the nearest row that is settled later. A search starts at the last row of a run
// and follows these distances until the next step would leave the run: it ends at the row that is settled last. Rows
// are mostly settled in order, or a few of them late, so the search takes one step or none. The distance back to the
// last lost row tells whether the run holds one.
class RowSummaries {
 public:
  explicit RowSummaries(LinkRows rows);

  // Summary of the rows begin .. end - 1, with begin < end <= rows.count.
  RowSummary of(std::size_t begin, std::size_t end) const {
    if (end - begin > farthest) return of_long(begin, end);
    std::size_t latest = end - 1;
    // Runs mostly come in order and have the length of the previous run. This fetches the next run's last row.
    prefetch(&rows_[latest], (end - begin) * rows_.row_bytes());
    prefetch(&back_[latest], (end - begin) * sizeof(Back));

    const Back& last = back_[latest];
    const Fate fate = last.failed > latest - begin  ? Fate::delivered
                      : last.lost <= latest - begin ? Fate::lost
                                                    : Fate::unsettled;
    while (back_[latest].later <= latest - begin) latest -= back_[latest].later;
    return {rows_[end - 1].tx_time_ns, settled_ns(latest), fate};
  }

 private:
  static constexpr unsigned farthest = 255;

  // Distance back to the nearest row of a kind; `farthest` if it is as far or farther, or if there is none.
  struct Back {
    std::uint8_t later;   // settled later than this row
    std::uint8_t failed;  // lost or unsettled; 0: this row is
    std::uint8_t lost;    // 0: this row is lost
  };

  RowSummary of_long(std::size_t begin, std::size_t end) const;

  Nanoseconds settled_ns(std::size_t i) const {
    const LinkRow& row = rows_[i];
    return row.delay_ns == schema::unsettled ? last_tx_ns_ : sum_of(row.tx_time_ns, row.delay_ns);
  }

  LinkRows rows_;
  Nanoseconds last_tx_ns_;
  std::vector<Back> back_;  // one for each row
};

}  // namespace clift
