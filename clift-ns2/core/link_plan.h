// Plan of a link, over a trace or of constant rate.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "core/delivery_plan.h"
#include "core/rate_plan.h"
#include "core/time.h"

namespace clift {

class LinkPlan {
 public:
  LinkPlan(DeliveryPlan plan) : plan_(std::move(plan)) {}
  LinkPlan(RatePlan plan) : plan_(plan) {}

  [[gnu::always_inline]] bool plan(Nanoseconds arrival_ns, std::int64_t size_bytes, Delivery& packet) {
    if (auto* traced = std::get_if<DeliveryPlan>(&plan_)) return traced->plan(arrival_ns, size_bytes, packet);
    return std::get<RatePlan>(plan_).plan(arrival_ns, size_bytes, packet);
  }

  // When the link begins to send a packet that arrives then; `never` if it has stopped.
  Nanoseconds begin_ns(Nanoseconds arrival_ns) const {
    if (const auto* traced = std::get_if<DeliveryPlan>(&plan_)) return traced->begin_ns(arrival_ns);
    return std::get<RatePlan>(plan_).begin_ns(arrival_ns);
  }

  // Use of the trace until `now_ns`; nothing for a plain link.
  std::optional<RowUse> use_until(Nanoseconds now_ns) const {
    const auto* traced = std::get_if<DeliveryPlan>(&plan_);
    return traced != nullptr ? std::optional(traced->use_until(now_ns)) : std::nullopt;
  }

 private:
  std::variant<DeliveryPlan, RatePlan> plan_;
};

}  // namespace clift
