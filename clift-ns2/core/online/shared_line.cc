#include "core/online/shared_line.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/input_error.h"

namespace clift {

SharedLine::SharedLine(std::vector<User> users, std::unique_ptr<SlotScheduler> scheduler)
    : users_(std::move(users)), scheduler_(std::move(scheduler)), sizes_(users_.size()) {}

Nanoseconds SharedLine::wake_ns() const {
  Nanoseconds wake_ns = never;
  for (const User& user : users_) wake_ns = std::min(wake_ns, user.layer->wake_ns());
  return wake_ns;
}

void SharedLine::run(Nanoseconds now_ns) {
  if (wake_ns() > now_ns) return;
  // Earlier slots have passed free: a user who wants one wakes when it has begun.
  const std::int64_t row = users_.front().slots->last_before(now_ns);
  if (row >= users_.front().slots->next_row()) return offer(row, now_ns);
  for (const User& user : users_) user.layer->run(now_ns);
}

// Offers a row that has begun.
void SharedLine::offer(std::int64_t row, Nanoseconds now_ns) {
  for (std::size_t user = 0; user < users_.size(); ++user) sizes_[user] = users_[user].slots->size_of(row);
  const std::vector<std::size_t>& order = scheduler_->order(row, sizes_);
  std::int64_t next_row = row;
  std::size_t sender = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const User& user = users_[order[place]];
    user.slots->pass(next_row);
    if (user.layer->wake_ns() <= now_ns) user.layer->run(now_ns);
    if (next_row > row) continue;
    user.layer->pass_free_slots(now_ns);
    next_row = std::max(row, user.slots->next_row());
    sender = place;
  }
  if (next_row == row) return;
  for (std::size_t place = 0; place < sender; ++place) users_[order[place]].slots->pass(next_row);
  const TraceSlots& slots = *users_[order[sender]].slots;
  for (; row < next_row; ++row) scheduler_->take(sender, slots.size_of(row));
}

void check_same_slots(const PhyTraceFile& trace, const PhyTraceFile& other) {
  const PhyRows own = trace.rows(), rows = other.rows();
  if (own.count != rows.count) {
    throw InputError(trace.path(), "has " + std::to_string(own.count) + " slots, " + other.path() + " has " +
                                       std::to_string(rows.count) + "; users share the slots of one line");
  }
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (own[i].tx_time_ns == rows[i].tx_time_ns) continue;
    throw InputError(trace.path(), i + 1, "is sent at " + std::to_string(own[i].tx_time_ns) + " ns, that of " +
                                              other.path() + " at " + std::to_string(rows[i].tx_time_ns) +
                                              " ns; users share the slots of one line");
  }
}

}  // namespace clift
