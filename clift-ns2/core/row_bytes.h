// Bytes that follow each other over the rows of a trace: the row that carries each byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/prefetch.h"
#include "core/time.h"
#include "core/trace_file.h"

namespace clift {

class RowBytes {
 public:
  // Rows carry their own sizes; rows without sizes carry `lldu_bytes` each. A trace has at least one row.
  template <class Row>
  RowBytes(TraceRows<Row> rows, std::int64_t lldu_bytes)
      : lldu_bytes_(lldu_bytes),
        count_(static_cast<std::int64_t>(rows.count)),
        rows_per_byte_(1.0 / static_cast<double>(lldu_bytes)) {
    if (!rows.have_sizes()) return;
    before_.resize(rows.count + 1);
    for (std::size_t i = 0; i < rows.count; ++i) before_[i + 1] = before_[i] + rows.size_bytes(i);
    rows_per_byte_ = static_cast<double>(count_) / static_cast<double>(before_.back());
  }

  bool vary() const { return !before_.empty(); }

  // Size of row `index`.
  std::int64_t size(std::size_t index) const {
    return vary() ? before_[index + 1] - before_[index] : lldu_bytes_;
  }

  // A byte's row, counted from another row, and the bytes of its row that follow it.
  struct Place {
    std::int64_t rows_on;
    std::int64_t left_bytes;
  };

  // Place of byte number `bytes`, at least 1, counted from the beginning of a row of a clock's numbering.
  template <class Clock>
  [[gnu::always_inline]] Place place_of(const Clock& clock, std::int64_t row, std::int64_t bytes) const {
    if (vary()) return place_among(clock.place_of(row).index, bytes);
    // A division would take as long as the rest of the sum; it is for products that rounding has moved to a neighbour.
    const Place near = place_after(static_cast<std::int64_t>(static_cast<double>(bytes - 1) * rows_per_byte_), bytes);
    if (near.left_bytes >= 0 && near.left_bytes < lldu_bytes_) return near;
    return place_after((bytes - 1) / lldu_bytes_, bytes);
  }

  // Bytes of the rows begin .. end - 1 of a clock's numbering, with begin <= end; at most 2^63 - 1.
  template <class Clock>
  std::int64_t between(const Clock& clock, std::int64_t begin, std::int64_t end) const {
    if (!vary()) return product_of(end - begin, lldu_bytes_);
    const std::size_t first = clock.place_of(begin).index, last = clock.place_of(end).index;
    const std::int64_t whole_rows = end - begin - static_cast<std::int64_t>(last - first);
    // No division for rows of one repetition.
    if (whole_rows == 0) return before_[last] - before_[first];
    return sum_of(product_of(whole_rows / count_, before_.back()), before_[last]) - before_[first];
  }

 private:
  Place place_after(std::int64_t rows_on, std::int64_t bytes) const {
    return {rows_on, (rows_on + 1) * lldu_bytes_ - bytes};
  }

  // The byte's row if all rows had the mean size, which it mostly is; otherwise a search.
  Place place_among(std::size_t index, std::int64_t bytes) const {
    const std::int64_t target = before_[index] + bytes;
    const auto rows_on = static_cast<std::int64_t>(static_cast<double>(bytes) * rows_per_byte_ - 0.5);
    const std::int64_t row = static_cast<std::int64_t>(index) + rows_on;
    if (row >= count_) return search(index, bytes);
    const std::int64_t* const sums = before_.data() + row;
    // Packets mostly come in order, and take as many rows as the previous packet.
    prefetch(sums, static_cast<std::size_t>(rows_on + 2) * sizeof *sums);
    return sums[0] < target && target <= sums[1] ? Place{rows_on, sums[1] - target} : search(index, bytes);
  }

  Place search(std::size_t index, std::int64_t bytes) const;

  std::int64_t lldu_bytes_;
  std::int64_t count_;
  double rows_per_byte_;  // in the mean
  // Sum of the sizes of the rows before each row, and of all; empty if all rows have one size.
  std::vector<std::int64_t> before_;
};

}  // namespace clift
