// Propagation over a link: a constant delay, or one that follows a series of round-trip times, as motion gives it.
#pragma once

#include <string>
#include <vector>

#include "core/schema.h"
#include "core/time.h"

namespace clift {

using schema::RttRow;

// Round-trip times over time, linear between rows. Two rows at one time are a step: the second one counts from then on.
class RttSeries {
 public:
  // Rows are as `read_rtt_series` gives them.
  explicit RttSeries(std::vector<RttRow> rows) : rows_(std::move(rows)) {}

  // The round-trip time `time_ns` after the first row. Behind the last row the series begins again, or the last
  // round-trip time stays.
  Nanoseconds rtt_ns(Nanoseconds time_ns, bool loop) const;

 private:
  std::vector<RttRow> rows_;
};

// Reads a series from a `.npy` file; throws InputError with file, row and reason.
RttSeries read_rtt_series(const std::string& path);

struct PropagationOptions {
  Nanoseconds offset_ns = 0;  // place in the series at simulated time 0, from the first row on
  bool loop = false;          // start again at the end of the series
  bool overtaking = false;    // where the delay falls, packets overtake those before them
};

class Propagation {
 public:
  Propagation(Nanoseconds one_way_ns) : one_way_ns_(one_way_ns) {}
  Propagation(RttSeries series, const PropagationOptions& options)
      : series_({std::move(series)}), options_(options) {}

  // When a packet whose last part leaves the link at `link_ns` is at the far end: half the round-trip time of that
  // moment later. Without overtaking it waits for the packets that left before it. Call in the order of departures.
  Nanoseconds arrival_ns(Nanoseconds link_ns);

 private:
  Nanoseconds one_way_ns_ = 0;
  std::vector<RttSeries> series_;  // one, or none
  PropagationOptions options_;
  Nanoseconds last_link_ns_ = 0;     // the latest departure so far
  Nanoseconds last_arrival_ns_ = 0;  // of the packet that left then
};

}  // namespace clift
