// What a run of consecutive rows comes to, without looking at each of them.
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
// For each row it is known, in a byte each, what the 8 and what the 32 rows from it on come to. Windows may overlap, so
// that two of them cover a run of up to twice their length; a longer one takes more. Less than 8 rows are looked at.
class RowSummaries {
 public:
  explicit RowSummaries(LinkRows rows);

  // Summary of the rows begin .. end - 1, with begin < end <= rows.count.
  RowSummary of(std::size_t begin, std::size_t end) const {
    if (end - begin == 1) return row(begin);
    if (end - begin >= long_window) return covered(begin, end, long_, long_window);
    if (end - begin >= short_window) return covered(begin, end, short_, short_window);
    RowSummary summary = row(begin);
    for (std::size_t i = begin + 1; i < end; ++i) summary = joined(summary, row(i));
    return summary;
  }

 private:
  static constexpr std::size_t short_window = 8, long_window = 32;

  // For each row, of it and those that follow it: how many rows further on the one lies that is settled last, and
  // whether one is lost or unsettled. Windows that begin near the end of the trace are cut short there.
  using Windows = std::vector<std::uint8_t>;
  static constexpr unsigned latest_bits = long_window - 1, lost_bit = 32, unsettled_bit = 64;

  RowSummary covered(std::size_t begin, std::size_t end, const Windows& windows, std::size_t length) const {
    RowSummary summary = window(windows, end - length);
    for (std::size_t i = begin; i < end - length; i += length) summary = joined(summary, window(windows, i));
    return summary;
  }

  RowSummary window(const Windows& windows, std::size_t i) const {
    const unsigned all = windows[i];
    return {settled_ns(i + (all & latest_bits)), (all & lost_bit) != 0, (all & unsettled_bit) != 0};
  }

  RowSummary row(std::size_t i) const {
    const bool unsettled = rows_[i].delay_ns == schema::unsettled;
    return {settled_ns(i), !unsettled && rows_[i].delivered == 0, unsettled};
  }

  Nanoseconds settled_ns(std::size_t i) const {
    const LinkRow& row = rows_[i];
    return row.delay_ns == schema::unsettled ? last_tx_ns_ : sum_of(row.tx_time_ns, row.delay_ns);
  }

  LinkRows rows_;
  Nanoseconds last_tx_ns_;
  Windows short_, long_;
};

}  // namespace clift
