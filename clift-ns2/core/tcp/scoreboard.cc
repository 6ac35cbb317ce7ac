#include "core/tcp/scoreboard.h"

#include <algorithm>

namespace clift::tcp {

void Scoreboard::on_sent(std::int64_t sequence, Nanoseconds now_ns, const SendSnapshot& snapshot) {
  if (sequence == next()) {
    packets_.emplace_back();
  } else {
    waiting_.erase(sequence);
    if (packet(sequence).is_in_flight) remove_in_flight(sequence);
    packet(sequence).is_retransmitted = true;
  }
  SentPacket& sent = packet(sequence);
  sent.sent_ns = now_ns;
  sent.transmission = ++transmissions_;
  sent.snapshot = snapshot;
  append_in_flight(sequence);
}

void Scoreboard::acknowledge(std::int64_t ack, std::vector<DeliveredPacket>& delivered) {
  for (; una_ < ack; ++una_) {
    if (packets_.front().is_sacked) {
      --sacked_;
    } else {
      settle(una_);
      delivered.push_back({una_, true, packets_.front()});
    }
    packets_.pop_front();
  }
  while (!runs_.empty() && runs_.begin()->first < una_) {
    const std::int64_t right = runs_.begin()->second;
    runs_.erase(runs_.begin());
    if (right > una_) runs_.emplace(una_, right);
  }
}

void Scoreboard::sack(std::int64_t left, std::int64_t right, std::vector<DeliveredPacket>& delivered) {
  left = std::max(left, una_);
  right = std::min(right, next());
  if (left >= right) return;
  // The new run absorbs the runs that it meets or touches; the packets between them are new.
  auto run = runs_.upper_bound(left);
  if (run != runs_.begin() && std::prev(run)->second >= left) --run;
  std::int64_t from = left;
  std::int64_t merged_left = left;
  std::int64_t merged_right = right;
  const auto deliver_until = [&](std::int64_t end) {
    for (; from < end; ++from) {
      settle(from);
      packet(from).is_sacked = true;
      ++sacked_;
      delivered.push_back({from, false, packet(from)});
    }
  };
  while (run != runs_.end() && run->first <= right) {
    deliver_until(run->first);
    from = std::max(from, run->second);
    merged_left = std::min(merged_left, run->first);
    merged_right = std::max(merged_right, run->second);
    run = runs_.erase(run);
  }
  deliver_until(right);
  runs_.emplace(merged_left, merged_right);
}

void Scoreboard::mark_lost(std::int64_t sequence) {
  SentPacket& lost = packet(sequence);
  remove_in_flight(sequence);
  if (!lost.is_lost) ++lost_;
  lost.is_lost = true;
  waiting_.insert(sequence);
}

void Scoreboard::unmark_lost() {
  std::vector<std::int64_t> in_order;
  for (std::int64_t sequence = una_; sequence < next(); ++sequence) {
    SentPacket& sent = packet(sequence);
    if (sent.is_sacked) continue;
    sent.is_lost = false;
    in_order.push_back(sequence);
  }
  std::sort(in_order.begin(), in_order.end(),
            [this](std::int64_t a, std::int64_t b) { return at(a).transmission < at(b).transmission; });
  waiting_.clear();
  lost_ = in_flight_ = retransmitted_in_flight_ = 0;
  oldest_ = newest_ = -1;
  for (const std::int64_t sequence : in_order) append_in_flight(sequence);
}

std::optional<std::int64_t> Scoreboard::next_lost() const {
  if (waiting_.empty()) return std::nullopt;
  return *waiting_.begin();
}

void Scoreboard::append_in_flight(std::int64_t sequence) {
  SentPacket& sent = packet(sequence);
  sent.is_in_flight = true;
  sent.older = newest_;
  sent.newer = -1;
  if (newest_ >= 0) {
    packet(newest_).newer = sequence;
  } else {
    oldest_ = sequence;
  }
  newest_ = sequence;
  ++in_flight_;
  if (sent.is_retransmitted) ++retransmitted_in_flight_;
}

void Scoreboard::remove_in_flight(std::int64_t sequence) {
  SentPacket& sent = packet(sequence);
  sent.is_in_flight = false;
  (sent.older >= 0 ? packet(sent.older).newer : oldest_) = sent.newer;
  (sent.newer >= 0 ? packet(sent.newer).older : newest_) = sent.older;
  --in_flight_;
  if (sent.is_retransmitted) --retransmitted_in_flight_;
}

// The packet is delivered: it is no longer in flight or lost.
void Scoreboard::settle(std::int64_t sequence) {
  SentPacket& sent = packet(sequence);
  if (sent.is_in_flight) remove_in_flight(sequence);
  if (sent.is_lost) --lost_;
  sent.is_lost = false;
  waiting_.erase(sequence);
}

}  // namespace clift::tcp
