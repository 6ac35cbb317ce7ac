#include "emulate/report.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/input_error.h"

namespace clift {

namespace {

constexpr Nanoseconds millisecond = 1'000'000;

void add_times(Counters& counters, const std::string& name, const Histogram& times) {
  counters.emplace_back(name + "_least_ns", times.least_ns());
  counters.emplace_back(name + "_p50_ns", times.quantile_ns(0.5));
  counters.emplace_back(name + "_p95_ns", times.quantile_ns(0.95));
  counters.emplace_back(name + "_p99_ns", times.quantile_ns(0.99));
  counters.emplace_back(name + "_most_ns", times.most_ns());
}

}  // namespace

Counters counters_of(const Wire::Direction& direction, const std::string& prefix, Nanoseconds now_ns) {
  const LinkCounts& counts = direction.link.counts();
  const std::int64_t settled = counts.overflowed + counts.aqm_dropped + counts.delivered + counts.lost + counts.unsettled;
  Counters found = {
      {"packets_arrived", counts.arrived},         {"packets_overflowed", counts.overflowed},
      {"packets_delivered", counts.delivered},     {"packets_lost", counts.lost},
      {"packets_unsettled", counts.unsettled},     {"packets_under_way", counts.arrived - settled},
      {"packets_refused", direction.refused},      {"bytes_delivered", counts.delivered_bytes},
      {"packets_aqm_dropped", counts.aqm_dropped}, {"packets_marked", counts.marked},
      {"stopped", direction.link.stopped()},       {"outcomes", direction.lateness.count()},
      {"outcomes_1ms_late", direction.lateness.at_least(millisecond)},
  };
  if (const auto use = direction.link.row_use(now_ns)) {
    found.insert(found.end(), {{"rows_offered", use->offered},
                               {"rows_used", use->used},
                               {"rows_unused", use->offered - use->used},
                               {"bytes_offered", use->offered_bytes},
                               {"bytes_used", use->used_bytes},
                               {"trace_repeats", use->repeats}});
  }
  add_times(found, "delay", direction.delays);
  add_times(found, "lateness", direction.lateness);
  for (auto& counter : found) counter.first = prefix + counter.first;
  return found;
}

void write_counters(const std::string& path, const Counters& counters) {
  const std::string partial = path + ".partial";
  std::FILE* file = std::fopen(partial.c_str(), "w");
  if (file == nullptr) throw InputError(path, std::strerror(errno));
  for (const auto& [name, value] : counters) std::fprintf(file, "%s\t%lld\n", name.c_str(), static_cast<long long>(value));
  const bool written = std::ferror(file) == 0;
  if (std::fclose(file) != 0 || !written || std::rename(partial.c_str(), path.c_str()) != 0) {
    const int error = errno;
    std::remove(partial.c_str());
    throw InputError(path, std::strerror(error));
  }
}

}  // namespace clift
