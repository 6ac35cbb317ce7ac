#include "core/path_settings.h"

#include <limits>

namespace clift {

namespace {

void add_time(SettingTable& table, const std::string& name, Nanoseconds& target, TimeUnit unit) {
  if (unit == TimeUnit::seconds) {
    table.add_seconds(name + "_s", target, 0, most_setting);
  } else {
    table.add_whole(name + "_ns", target, 0, most_setting);
  }
}

void declare_link(SettingTable& table, const std::string& direction, LinkSettings& link, TimeUnit unit) {
  PlanOptions& options = link.options;
  table.add_text(direction, link.trace);
  table.add_real(direction + "_rate_bps", link.rate_bps, 1, 1e12);
  table.add_whole(direction + "_lldu_bytes", options.lldu_bytes, 1, std::numeric_limits<std::int32_t>::max());
  table.add_choice<Packing>(direction + "_packing", options.packing,
                            {{"padded", Packing::padded}, {"packed", Packing::packed}});
  add_time(table, direction + "_begin", options.begin_ns, unit);
  add_time(table, direction + "_length", options.length_ns, unit);
  add_time(table, direction + "_offset", options.offset_ns, unit);
}

}  // namespace

std::unique_ptr<LinkTraceFile> LinkSettings::opened() const {
  if (trace.empty()) return nullptr;
  auto file = std::make_unique<LinkTraceFile>(trace);
  check_playback(*file, options);
  return file;
}

LinkPlan LinkSettings::plan(const LinkTraceFile* opened_trace) const {
  if (opened_trace == nullptr) return RatePlan(rate_bps);
  return DeliveryPlan(opened_trace->rows(), options);
}

PathSettings::PathSettings() { links[0].options.loop = links[0].options.in_order = true; }

void PathSettings::complete() {
  const PlanOptions& shared = links[0].options;
  links[1].options.loop = shared.loop;
  links[1].options.in_order = shared.in_order;
  links[1].options.hold_ns = shared.hold_ns;
  constexpr std::int64_t usual_packets = 100;
  if (limits.packets == 0 && limits.bytes == 0 && limits.time_ns == 0) limits.packets = usual_packets;
  if (limits.packets > 0) queue.limits.packets = limits.packets;
  if (limits.bytes > 0) queue.limits.bytes = limits.bytes;
  if (limits.time_ns > 0) queue.limits.time_ns = limits.time_ns;
}

Propagation PathSettings::propagation() const {
  if (rtt_series.empty()) return rtt_ns / 2;
  PropagationOptions options = motion;
  options.loop = links[0].options.loop;
  return {read_rtt_series(rtt_series), options};
}

void PathSettings::declare(SettingTable& table, TimeUnit unit) {
  declare_link(table, "forward", links[0], unit);
  declare_link(table, "return", links[1], unit);
  table.add("queue", [this](const std::string& value) { queue.discipline = DisciplineChoice::of(value); },
            [this] { return queue.discipline.words(); });
  table.add_whole("queue_packets", limits.packets, 0, most_setting);
  table.add_whole("queue_bytes", limits.bytes, 0, most_setting);
  add_time(table, "queue_time", limits.time_ns, unit);
  table.add_choice<bool>("queue_counts", queue.limits_count_sending, {{"all", true}, {"waiting", false}});
  add_time(table, "rtt", rtt_ns, unit);
  table.add_text("rtt_series", rtt_series);
  add_time(table, "rtt_offset", motion.offset_ns, unit);
  table.add_flag("overtaking", motion.overtaking);
  // Both links share these: the first holds them.
  PlanOptions& shared = links[0].options;
  table.add_flag("loop", shared.loop);
  table.add_flag("in_order", shared.in_order);
  add_time(table, "hold", shared.hold_ns, unit);
}

}  // namespace clift
