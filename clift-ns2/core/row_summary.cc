#include "core/row_summary.h"

#include <algorithm>

namespace clift {

namespace {

constexpr std::size_t block_rows = 128;

}  // namespace

RowSummary joined(const RowSummary& a, const RowSummary& b) {
  return {std::max(a.settled_ns, b.settled_ns), a.lost + b.lost, a.unsettled + b.unsettled};
}

RowSummaries::RowSummaries(LinkRows rows) : rows_(rows), lost_before_{0}, unsettled_before_{0}, last_settled_(1) {
  for (std::size_t begin = 0; begin < rows.count; begin += block_rows) {
    const RowSummary block = scan(begin, std::min(begin + block_rows, rows.count));
    lost_before_.push_back(lost_before_.back() + block.lost);
    unsettled_before_.push_back(unsettled_before_.back() + block.unsettled);
    last_settled_[0].push_back(block.settled_ns);
  }
  for (std::size_t width = 2; width <= last_settled_[0].size(); width *= 2) {
    const std::vector<Nanoseconds>& half = last_settled_.back();
    std::vector<Nanoseconds> level(last_settled_[0].size() - width + 1);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::max(half[i], half[i + width / 2]);
    last_settled_.push_back(std::move(level));
  }
}

RowSummary RowSummaries::of(std::size_t begin, std::size_t end) const {
  const std::size_t first_block = (begin + block_rows - 1) / block_rows, end_block = end / block_rows;
  if (first_block >= end_block) return scan(begin, end);
  const RowSummary edges =
      joined(scan(begin, first_block * block_rows), scan(end_block * block_rows, end));
  return joined(edges, blocks(first_block, end_block));
}

RowSummary RowSummaries::scan(std::size_t begin, std::size_t end) const {
  RowSummary summary;
  const Nanoseconds end_of_trace_ns = rows_[rows_.count - 1].tx_time_ns;
  for (std::size_t i = begin; i < end; ++i) {
    const LinkRow& row = rows_[i];
    const bool settled = row.delay_ns != schema::unsettled;
    const Nanoseconds fate_ns = settled ? sum_of(row.tx_time_ns, row.delay_ns) : end_of_trace_ns;
    summary.settled_ns = std::max(summary.settled_ns, fate_ns);
    summary.lost += settled && row.delivered == 0;
    summary.unsettled += !settled;
  }
  return summary;
}

RowSummary RowSummaries::blocks(std::size_t begin, std::size_t end) const {
  std::size_t level = 0;
  while ((std::size_t{2} << level) <= end - begin) ++level;
  const std::vector<Nanoseconds>& maxima = last_settled_[level];
  return {std::max(maxima[begin], maxima[end - (std::size_t{1} << level)]),
          lost_before_[end] - lost_before_[begin], unsettled_before_[end] - unsettled_before_[begin]};
}

}  // namespace clift
