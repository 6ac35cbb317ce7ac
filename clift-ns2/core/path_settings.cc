#include "core/path_settings.h"

#include <limits>

namespace clift {

namespace {

void declare_link(SettingTable& table, const std::string& direction, LinkSettings& link) {
  PlanOptions& options = link.options;
  table.add_text(direction, link.trace);
  table.add_real(direction + "_rate_bps", link.rate_bps, 1, 1e12);
  table.add_whole(direction + "_lldu_bytes", options.lldu_bytes, 1, std::numeric_limits<std::int32_t>::max());
  table.add_choice<Packing>(direction + "_packing", options.packing,
                            {{"padded", Packing::padded}, {"packed", Packing::packed}});
  table.add_whole(direction + "_begin_ns", options.begin_ns, 0, most_setting);
  table.add_whole(direction + "_length_ns", options.length_ns, 0, most_setting);
  table.add_whole(direction + "_offset_ns", options.offset_ns, 0, most_setting);
}

void declare_queue(SettingTable& table, QueueOptions& queue) {
  table.add("queue", [&queue](const std::string& value) { queue.discipline = DisciplineChoice::of(value); });
  table.add_whole("queue_packets", queue.limits.packets, 1, most_setting);
  table.add_whole("queue_bytes", queue.limits.bytes, 1, most_setting);
  table.add_whole("queue_time_ns", queue.limits.time_ns, 1, most_setting);
  table.add_choice<bool>("queue_counts", queue.limits_count_sending, {{"all", true}, {"waiting", false}});
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
  const QueueLimits none;
  QueueLimits& limits = queue.limits;
  if (limits.packets == none.packets && limits.bytes == none.bytes && limits.time_ns == none.time_ns) {
    limits.packets = usual_packets;
  }
}

Propagation PathSettings::propagation() const {
  if (rtt_series.empty()) return rtt_ns / 2;
  PropagationOptions options = motion;
  options.loop = links[0].options.loop;
  return {read_rtt_series(rtt_series), options};
}

void PathSettings::declare(SettingTable& table) {
  declare_link(table, "forward", links[0]);
  declare_link(table, "return", links[1]);
  declare_queue(table, queue);
  table.add_whole("rtt_ns", rtt_ns, 0, most_setting);
  table.add_text("rtt_series", rtt_series);
  table.add_whole("rtt_offset_ns", motion.offset_ns, 0, most_setting);
  table.add_flag("overtaking", motion.overtaking);
  // Both links share these: the first holds them.
  PlanOptions& shared = links[0].options;
  table.add_flag("loop", shared.loop);
  table.add_flag("in_order", shared.in_order);
  table.add_whole("hold_ns", shared.hold_ns, 0, most_setting);
}

}  // namespace clift
