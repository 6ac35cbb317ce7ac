#include "core/propagation.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/input_error.h"
#include "core/npy.h"
#include "core/text.h"

namespace clift {

namespace {

__extension__ typedef __int128 WideInteger;  // products of two times

}  // namespace

Nanoseconds RttSeries::rtt_ns(Nanoseconds time_ns, bool loop) const {
  const Nanoseconds first_ns = rows_.front().time_ns, length_ns = rows_.back().time_ns - first_ns;
  if (time_ns >= length_ns) {
    if (!loop || length_ns == 0) return rows_.back().rtt_ns;
    time_ns %= length_ns;
  }
  const Nanoseconds at_ns = first_ns + time_ns;
  const auto next = std::upper_bound(rows_.begin(), rows_.end(), at_ns,
                                     [](Nanoseconds time, const RttRow& row) { return time < row.time_ns; });
  const RttRow& from = *std::prev(next);
  const RttRow& to = *next;
  const WideInteger rise_ns = to.rtt_ns - from.rtt_ns;
  return from.rtt_ns + static_cast<Nanoseconds>(rise_ns * (at_ns - from.time_ns) / (to.time_ns - from.time_ns));
}

RttSeries read_rtt_series(const std::string& path) {
  using namespace schema;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path, std::strerror(errno));
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto parsed = parse_npy_header(bytes);
  if (const auto* reason = std::get_if<std::string>(&parsed)) throw InputError(path, *reason);
  const NpyHeader& header = std::get<NpyHeader>(parsed);
  if (header.descr != RttRow::descr) {
    throw InputError(path, filled(refusal::columns, {{"kind", RttRow::kind}, {"columns", RttRow::columns}}));
  }
  if (header.rows < 0) throw InputError(path, refusal::npy_shape);
  if (header.rows == 0) throw InputError(path, refusal::no_rows);
  const std::size_t held = (bytes.size() - header.data_offset) / sizeof(RttRow);
  const auto promised = static_cast<std::size_t>(header.rows);
  if (held < promised) {
    throw InputError(path, filled(refusal::truncated,
                                  {{"promised", std::to_string(promised)}, {"held", std::to_string(held)}}));
  }
  std::vector<RttRow> rows(promised);
  std::memcpy(rows.data(), bytes.data() + header.data_offset, promised * sizeof(RttRow));
  const auto check = [&path](std::size_t i, const char* column, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value >= least && value <= most) return;
    throw InputError(path, i + 1,
                     filled(value < least ? refusal::below_minimum : refusal::above_maximum,
                            {{"column", column},
                             {"value", std::to_string(value)},
                             {"minimum", std::to_string(least)},
                             {"maximum", std::to_string(most)}}));
  };
  for (std::size_t i = 0; i < promised; ++i) {
    check(i, "time_ns", rows[i].time_ns, RttRow::min_time_ns, RttRow::max_time_ns);
    check(i, "rtt_ns", rows[i].rtt_ns, RttRow::min_rtt_ns, RttRow::max_rtt_ns);
    if (i == 0 || rows[i].time_ns >= rows[i - 1].time_ns) continue;
    throw InputError(path, i + 1,
                     filled(refusal::not_sorted, {{"column", "time_ns"},
                                                  {"value", std::to_string(rows[i].time_ns)},
                                                  {"previous", std::to_string(rows[i - 1].time_ns)}}));
  }
  return RttSeries(std::move(rows));
}

Nanoseconds Propagation::arrival_ns(Nanoseconds link_ns) {
  if (series_.empty()) return sum_of(link_ns, one_way_ns_);
  const Nanoseconds time_ns = sum_of(link_ns, options_.offset_ns);
  Nanoseconds arrival_ns = sum_of(link_ns, series_.front().rtt_ns(time_ns, options_.loop) / 2);
  if (options_.overtaking || link_ns < last_link_ns_) return arrival_ns;
  last_link_ns_ = link_ns;
  last_arrival_ns_ = std::max(arrival_ns, last_arrival_ns_);
  return last_arrival_ns_;
}

}  // namespace clift
