#include "core/tcp/receiver.h"

#include <algorithm>

namespace clift::tcp {

const Reply& Receiver::on_packet(std::int64_t sequence, Nanoseconds timestamp_ns) {
  // RFC 7323, section 4.3: the timestamp of a packet at or before the last acknowledgement, if it is not older.
  if (sequence <= answered_) reply_.echo_ns = std::max(reply_.echo_ns, timestamp_ns);
  reply_.blocks.clear();
  const bool had_holes = !runs_.empty();
  const bool is_new = insert(sequence);
  if (!is_new) {
    ++duplicates_;
    reply_.blocks.emplace_back(sequence, sequence + 1);
  }
  report_runs(sequence);
  reply_.may_wait = delays_ && is_new && !had_holes && runs_.empty() && sequence > 0 && sequence == answered_;
  if (!reply_.may_wait) answered_ = reply_.ack;
  return reply_;
}

const Reply& Receiver::on_wait_over() {
  answered_ = reply_.ack;
  reply_.may_wait = false;
  return reply_;
}

// Returns whether the packet is new.
bool Receiver::insert(std::int64_t sequence) {
  if (sequence < reply_.ack) return false;
  if (sequence == reply_.ack) {
    ++reply_.ack;
    if (!runs_.empty() && runs_.begin()->first == reply_.ack) {
      reply_.ack = runs_.begin()->second;
      runs_.erase(runs_.begin());
    }
    return true;
  }
  const auto after = runs_.upper_bound(sequence);
  const auto before = after == runs_.begin() ? runs_.end() : std::prev(after);
  if (before != runs_.end() && sequence < before->second) return false;
  const bool joins_before = before != runs_.end() && before->second == sequence;
  const bool joins_after = after != runs_.end() && after->first == sequence + 1;
  const std::int64_t right = joins_after ? after->second : sequence + 1;
  if (joins_after) runs_.erase(after);
  if (joins_before) {
    before->second = right;
  } else {
    runs_.emplace(sequence, right);
  }
  return true;
}

// The current packet's run comes first, then the runs that were reported last (RFC 2018, section 4).
void Receiver::report_runs(std::int64_t sequence) {
  if (runs_.empty()) {
    recent_.clear();
    return;
  }
  if (sequence >= reply_.ack) recent_.insert(recent_.begin(), sequence);
  std::vector<std::int64_t>::iterator kept = recent_.begin();
  const std::size_t first = reply_.blocks.size();
  for (const std::int64_t member : recent_) {
    if (member < reply_.ack || reply_.blocks.size() - first > most_blocks) continue;
    const auto run = std::prev(runs_.upper_bound(member));
    const std::pair<std::int64_t, std::int64_t> block(run->first, run->second);
    if (std::find(reply_.blocks.begin() + static_cast<std::ptrdiff_t>(first), reply_.blocks.end(), block) !=
        reply_.blocks.end()) {
      continue;
    }
    reply_.blocks.push_back(block);
    *kept++ = member;
  }
  recent_.erase(kept, recent_.end());
  if (reply_.blocks.size() > most_blocks) reply_.blocks.resize(most_blocks);
}

}  // namespace clift::tcp
