#include "core/tcp/receiver.h"

#include <algorithm>

namespace clift::tcp {

namespace {

constexpr std::int64_t open_window = 1'000'000;  // packets of a window without bound
constexpr Nanoseconds tick_ns = 1'000'000;       // of the timestamps of Linux

}  // namespace

const Reply& Receiver::on_packet(const Arrived& packet) {
  arrived_ns_ = packet.now_ns;
  if (is_old(packet)) {
    reject(packet);
    return reply_;
  }
  const bool is_ce = packet.ecn.codepoint == Ecn::ce;
  if (echoes_each_mark_ && is_ce != echoes_mark_ && ecn_ != EcnMode::accurate && answered_ < reply_.ack) {
    earlier_ = reply_;
    earlier_->ace = ace();
  }
  reply_.blocks.clear();
  // RFC 7323, section 4.3: the timestamp of a packet at the last acknowledgement, if it is not older. Linux takes that of
  // the packet before, too; earlier ones are outside the window.
  if (packet.sequence == answered_ || packet.sequence + 1 == answered_) {
    reply_.echo_ns = std::max(reply_.echo_ns, packet.timestamp_ns);
  }
  const bool had_holes = !runs_.empty();
  const bool is_new = insert(packet.sequence);
  distinct_ += is_new;
  if (!is_new) {
    ++duplicates_;
    reply_.blocks.emplace_back(packet.sequence, packet.sequence + 1);
  }
  report_runs(packet.sequence);
  if (is_new && packet.sequence > 0) grow(packet);
  decide(packet, is_new, had_holes);
  note_ecn(packet, is_new);
  return reply_;
}

// PAWS (RFC 7323, section 5.3): the timestamp is older than the one to echo; Linux allows one tick. This is meant for
// sequence numbers that wrap. It also hits a packet that arrives after a retransmission in front of it.
bool Receiver::is_old(const Arrived& packet) const {
  return reply_.echo_ns >= 0 && reply_.echo_ns / tick_ns - packet.timestamp_ns / tick_ns > 1;
}

// The data are dropped, new or not, and an acknowledgement leaves at once. As in Linux, only a packet in front of the
// first hole is reported as a duplicate.
void Receiver::reject(const Arrived& packet) {
  reply_.blocks.clear();
  if (packet.sequence < reply_.ack) {
    ++duplicates_;
    reply_.blocks.emplace_back(packet.sequence, packet.sequence + 1);
    decide(packet, false, !runs_.empty());
  }
  delay_.send_at(packet.now_ns);
  report_runs(reply_.ack - 1);
}

// The window follows the data; the packets with which it grows are acknowledged at once.
void Receiver::grow(const Arrived& packet) {
  if (!window_) return;
  const bool is_sample = packet.echo_ns >= 0 && packet.echo_ns != last_echo_ns_;
  last_echo_ns_ = packet.echo_ns;
  const Nanoseconds rtt_ns = is_sample ? packet.now_ns - packet.echo_ns : -1;
  if (window_->on_packet(packet.now_ns, reply_.ack, held(), rtt_ns)) delay_.on_window_growth();
}

// A mark is echoed until the sender tells of a reduction (RFC 3168, section 6.1.3). As in Linux, the first mark and the
// end of the echo are acknowledged at once: the sender's window may be small. DCTCP's receiver acknowledges each change.
void Receiver::note_ecn(const Arrived& packet, bool is_new) {
  is_offered_ecn_ = packet.ecn.ace == classic_offer || packet.ecn.ace == accurate_offer;
  if (is_offered_ecn_) ecn_ = packet.ecn.ace == accurate_offer ? EcnMode::accurate : EcnMode::classic;
  if (is_offered_ecn_) return;
  if (ecn_ == EcnMode::accurate) return count_mark(packet);
  const bool is_mark = packet.ecn.codepoint == Ecn::ce && is_new;
  const bool has_reduced = (packet.ecn.ace & cwr) != 0;
  const bool did_echo = echoes_mark_;
  if (has_reduced || echoes_each_mark_) echoes_mark_ = false;
  if (is_mark) echoes_mark_ = true;
  const bool ends = echoes_each_mark_ ? did_echo && !echoes_mark_ : has_reduced;
  if (ends || (echoes_mark_ && !did_echo)) delay_.send_at(packet.now_ns);
}

// A mark after a packet without one, and every second mark, are acknowledged at once (RFC 9768, section 3.2.2.5.1).
void Receiver::count_mark(const Arrived& packet) {
  const bool is_mark = packet.ecn.codepoint == Ecn::ce;
  ce_count_ += is_mark;
  new_marks_ += is_mark;
  if (is_mark && (!was_marked_ || new_marks_ >= 2)) delay_.send_at(packet.now_ns);
  was_marked_ = is_mark;
}

int Receiver::ace() const {
  if (is_offered_ecn_) return ecn_ == EcnMode::accurate ? not_ect_syn : ece;
  return ecn_ == EcnMode::accurate ? static_cast<int>(ce_count_ & 7) : echoes_mark_ ? ece : 0;
}

void Receiver::decide(const Arrived& packet, bool is_new, bool had_holes) {
  if (!delays_ || packet.sequence == 0) {
    handshake_ns_ = is_new ? packet.now_ns : -1;
    delay_.send_at(packet.now_ns);
    return;
  }
  if (handshake_ns_ >= 0) delay_.know_rtt(packet.now_ns - handshake_ns_);
  handshake_ns_ = -1;
  const bool advances = is_new && reply_.ack > packet.sequence;
  const Arrival arrival = !is_new         ? Arrival::duplicate
                          : !advances     ? Arrival::beyond_hole
                          : !runs_.empty() ? Arrival::among_holes
                          : had_holes      ? Arrival::fills_hole
                                           : Arrival::in_order;
  const std::int64_t window = window_ ? reply_.window_end - answered_ : open_window;
  if (window_ && window_->is_tight(held())) delay_.calm();
  delay_.on_packet(packet.now_ns, arrival, reply_.ack - answered_, window);
  // All blocks of the next acknowledgement are taken: a further one would displace the oldest.
  const bool is_full = delay_.collects() && reply_.blocks.size() == most_blocks;
  if (is_full || (advances && packet.pushed)) delay_.send_at(packet.now_ns);
}

const Reply* Receiver::take_reply(Nanoseconds now_ns) {
  if (delay_.deadline_ns() > now_ns) return nullptr;
  if (earlier_) {
    sent_ = std::move(*earlier_);
    earlier_.reset();
    answered_ = sent_.ack;
    return &sent_;
  }
  if (arrived_ns_ < now_ns) delay_.on_deadline();
  delay_.on_sent();
  answered_ = reply_.ack;
  reply_.ace = ace();
  new_marks_ = 0;
  if (window_) reply_.window_end = window_->advertise(reply_.ack, held());
  return &reply_;
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
