// Buffer of one connection of a proxy, between its receiver and its sender. It keeps the arrived segments, the segments
// that may be forwarded, and the window for the first sender. Both connections use the same segment numbers.
#pragma once

#include <cstdint>
#include <deque>

#include "core/time.h"

namespace clift::proxy {

// The transmission that brought a segment.
struct Origin {
  Nanoseconds sent_ns = 0;  // when the first sender sent it
  std::uint16_t transmission = 0;
};

struct RelayOptions {
  std::int64_t capacity = 2;  // segments that fit into the buffer, at least 2
  Nanoseconds delay_ns = 0;   // from a segment's in-order arrival until it may be forwarded
};

enum class Arrival {
  stored,
  duplicate,  // it arrived before
  refused,    // it is beyond the buffer's capacity
};

class Relay {
 public:
  explicit Relay(const RelayOptions& options) : options_(options) {}

  Arrival on_segment(Nanoseconds now_ns, std::int64_t sequence, const Origin& origin);

  // The receiver has all segments before `una`: they leave the buffer.
  void on_forwarded(std::int64_t una);

  // Number of segments that may be forwarded by `now_ns`, from the connection's first one.
  std::int64_t released(Nanoseconds now_ns);

  // Time at which that number grows next without an arrival; `never` while no segment is being processed.
  Nanoseconds next_release_ns() const { return batches_.empty() ? never : batches_.front().time_ns; }

  // The first segment beyond the buffer's capacity; it never decreases.
  std::int64_t window_end() const { return una_ + options_.capacity; }

  // window_end() is advertised to the first sender.
  void tell() { told_ = window_end(); }

  // Whether a window update is due: the window is at least twice as large as the sender's remaining one.
  bool owes_update() const;

  // Origin of a segment in the buffer.
  const Origin& origin(std::int64_t sequence) const { return at(sequence).origin; }
  bool holds(std::int64_t sequence) const;

  std::int64_t next() const { return next_; }  // first missing segment
  std::int64_t una() const { return una_; }    // first segment that the receiver lacks
  std::int64_t fill() const { return fill_; }
  std::int64_t most_fill() const { return most_fill_; }
  std::int64_t refused() const { return refused_; }
  std::int64_t duplicates() const { return duplicates_; }

 private:
  struct Slot {
    bool arrived = false;
    Origin origin;
  };

  // Segments before `end` may be forwarded from `time_ns` on.
  struct Batch {
    Nanoseconds time_ns;
    std::int64_t end;
  };

  const Slot& at(std::int64_t sequence) const { return slots_[static_cast<std::size_t>(sequence - una_)]; }
  Slot& at(std::int64_t sequence) { return slots_[static_cast<std::size_t>(sequence - una_)]; }
  std::int64_t end() const { return una_ + static_cast<std::int64_t>(slots_.size()); }

  RelayOptions options_;
  std::deque<Slot> slots_;      // from una_ to the last arrived segment
  std::deque<Batch> batches_;   // segments that are being processed
  std::int64_t una_ = 0;
  std::int64_t next_ = 0;
  std::int64_t released_ = 0;
  std::int64_t told_ = 0;       // last window_end() advertised to the first sender
  std::int64_t fill_ = 0;
  std::int64_t most_fill_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t duplicates_ = 0;
};

}  // namespace clift::proxy
