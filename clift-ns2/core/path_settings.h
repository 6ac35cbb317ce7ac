// Settings of a path, which every host reads with this code: two links, and the queue in front of each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/delivery_plan.h"
#include "core/link_plan.h"
#include "core/propagation.h"
#include "core/queued_link.h"
#include "core/setting_table.h"
#include "core/time.h"
#include "core/trace_file.h"

namespace clift {

// Unit of the times that a host reads, and the end of their keys: `rtt_ns`, or `rtt_s`.
enum class TimeUnit { nanoseconds, seconds };

struct LinkSettings {
  std::string trace;  // `.npy` file; empty: a plain link
  double rate_bps = 2e6;
  PlanOptions options;

  // Opens and checks the trace; null for a plain link. Throws InputError.
  std::unique_ptr<LinkTraceFile> opened() const;

  // The plan over the opened trace, which outlives it.
  LinkPlan plan(const LinkTraceFile* opened_trace) const;
};

struct PathSettings {
  LinkSettings links[2];  // forward, return
  Nanoseconds rtt_ns = 500'000'000;
  std::string rtt_series;  // `.npy` file; empty: the round-trip time is `rtt_ns` all the time
  PropagationOptions motion;
  QueueOptions queue;

  // Limits of the queue, which `complete` sets; 0: none.
  struct {
    std::int64_t packets = 0;
    std::int64_t bytes = 0;
    Nanoseconds time_ns = 0;
  } limits;

  PathSettings();

  // Adds these settings to a table, which does not outlive them; times in this unit. When all are read, call `complete`.
  void declare(SettingTable& table, TimeUnit unit = TimeUnit::nanoseconds);

  // Propagation over the link in one direction. Reads the series (InputError).
  Propagation propagation() const;

  // Gives the return link what it shares with the forward link, and a queue without a limit one of 100 packets.
  void complete();
};

// The upper bound of times and counts.
inline constexpr std::int64_t most_setting = std::int64_t{1} << 62;

}  // namespace clift
