// One connection of a proxy, between its receiver and its sender: which segments have come, which may be sent on, and
// how many more the first sender may send. Both connections number segments alike, so nothing is lost or made up.
#pragma once

#include <cstdint>
#include <deque>

#include "core/time.h"

namespace clift::proxy {

// What is known of the copy that brought a segment.
struct Origin {
  Nanoseconds sent_ns = 0;  // when the first sender sent it
  std::uint16_t transmission = 0;
};

struct RelayOptions {
  std::int64_t capacity = 2;  // segments that fit into the buffer, at least 2
  Nanoseconds delay_ns = 0;   // from a segment's arrival in order to the moment at which it may be sent on
};

enum class Arrival {
  stored,
  duplicate,  // it is here already, or was
  refused,    // it lies beyond what the buffer has room for
};

class Relay {
 public:
  explicit Relay(const RelayOptions& options) : options_(options) {}

  Arrival on_segment(Nanoseconds now_ns, std::int64_t sequence, const Origin& origin);

  // The far end has all segments before `una`: they leave the buffer.
  void on_forwarded(std::int64_t una);

  // How many segments may be sent on by `now_ns`, from the first one of the connection.
  std::int64_t released(Nanoseconds now_ns);

  // When that number next grows by itself; `never` while nothing is being processed.
  Nanoseconds next_release_ns() const { return batches_.empty() ? never : batches_.front().time_ns; }

  // The first segment that the buffer has no room for; it never goes back.
  std::int64_t window_end() const { return una_ + options_.capacity; }

  // The first sender is told window_end().
  void tell() { told_ = window_end(); }

  // Whether it is worth a packet of its own to tell: the window is at least twice what the sender knows to be left.
  bool owes_update() const;

  // Of a segment in the buffer.
  const Origin& origin(std::int64_t sequence) const { return at(sequence).origin; }
  bool holds(std::int64_t sequence) const;

  std::int64_t next() const { return next_; }  // the first segment that is missing
  std::int64_t una() const { return una_; }    // the first one that the far end lacks
  std::int64_t fill() const { return fill_; }
  std::int64_t most_fill() const { return most_fill_; }
  std::int64_t refused() const { return refused_; }
  std::int64_t duplicates() const { return duplicates_; }

 private:
  struct Slot {
    bool arrived = false;
    Origin origin;
  };

  // Segments before `end` may be sent on from `time_ns`.
  struct Batch {
    Nanoseconds time_ns;
    std::int64_t end;
  };

  const Slot& at(std::int64_t sequence) const { return slots_[static_cast<std::size_t>(sequence - una_)]; }
  Slot& at(std::int64_t sequence) { return slots_[static_cast<std::size_t>(sequence - una_)]; }
  std::int64_t end() const { return una_ + static_cast<std::int64_t>(slots_.size()); }

  RelayOptions options_;
  std::deque<Slot> slots_;      // from una_ to the last segment that has come
  std::deque<Batch> batches_;   // what is being processed
  std::int64_t una_ = 0;
  std::int64_t next_ = 0;
  std::int64_t released_ = 0;
  std::int64_t told_ = 0;       // what the first sender has been told last
  std::int64_t fill_ = 0;
  std::int64_t most_fill_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t duplicates_ = 0;
};

}  // namespace clift::proxy
