// Rules that offer a slot of a shared line to its users one after another; the first who has something to send takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clift {

class SlotScheduler {
 public:
  virtual ~SlotScheduler() = default;

  // All users in the order in which row `row` is offered to them; valid until the next call. `sizes` are the bytes that
  // each could send in it. Rows come in order; those between have passed free.
  virtual const std::vector<std::size_t>& order(std::int64_t row, const std::vector<std::int64_t>& sizes) = 0;

  // The user at `place` of that order has taken a row and `bytes`; those before had nothing to send.
  virtual void take(std::size_t place, std::int64_t bytes) = 0;
};

// The rule that words describe, such as `weighted 2 1`. Throws SettingError.
std::unique_ptr<SlotScheduler> make_slot_scheduler(const std::string& words, std::size_t users);

}  // namespace clift
