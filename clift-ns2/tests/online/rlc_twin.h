// Radio link control as docs/schemes.md and docs/online.md define it, nanosecond by nanosecond: no work ahead.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "core/online/link_layer.h"
#include "tests/online/driver.h"

namespace clift {

// Slots carry 100 bytes; packets are padded; the resequencer is off. t-PollRetransmit is more than 0.
class RlcTwin {
 public:
  RlcTwin(const LinkLayerOptions& options, const std::vector<PhyRow>& rows)
      : o_(*options.rlc), rows_(rows), rtt_ns_(options.rtt_ns) {}

  std::map<std::int64_t, Release> play(const std::vector<Offer>& offers, Nanoseconds end_ns) {
    std::size_t row = 0, offer = 0;
    for (now_ = 0; now_ <= end_ns; ++now_) {
      let_happen();
      for (; offer < offers.size() && offers[offer].time_ns == now_; ++offer) {
        for (std::int64_t bytes = offers[offer].size_bytes; bytes > 0; bytes -= 100) {
          queue_.push_back(static_cast<std::int64_t>(offer));
          ++open_[static_cast<std::int64_t>(offer)];
        }
      }
      if (row < rows_.size() && rows_[row].tx_time_ns == now_) use(rows_[row++]);
    }
    return released_;
  }

 private:
  struct Segment {
    std::int64_t packet;
    std::int64_t sent;
    bool acknowledged;
  };
  struct Arrival {
    std::int64_t sn;
    bool poll;
  };
  struct Report {
    Nanoseconds made_ns;
    std::int64_t ack_sn;
  };

  std::int64_t tx_next() const { return static_cast<std::int64_t>(segments_.size()); }
  bool is_settled(std::int64_t sn) const { return has_.count(sn) + lost_.count(sn) > 0; }

  // Segments stay settled and acknowledged, so each search goes on where the last one ended.
  std::int64_t missing_from(std::int64_t sn) {
    while (is_settled(missing_)) ++missing_;
    sn = std::max(sn, missing_);
    while (is_settled(sn)) ++sn;
    return sn;
  }

  std::int64_t next_ack() {
    while (next_ack_ < tx_next() && segments_[static_cast<std::size_t>(next_ack_)].acknowledged) ++next_ack_;
    return next_ack_;
  }

  bool is_full() { return o_.acknowledged && tx_next() >= next_ack() + o_.window; }
  bool is_last() { return repeats_.empty() && (is_full() || queue_.empty()); }

  void use(const PhyRow& row) {
    std::int64_t sn = tx_next();
    if (!repeats_.empty()) {
      sn = repeats_.front();
      repeats_.erase(repeats_.begin());
    } else if (queue_.empty() || is_full()) {
      return;
    } else {
      segments_.push_back({queue_.front(), 0, false});
      queue_.erase(queue_.begin());
      ++without_poll_;
    }
    ++segments_[static_cast<std::size_t>(sn)].sent;
    const bool poll = o_.acknowledged && (poll_now_ || without_poll_ >= o_.poll_pdus || is_last());
    if (poll) {
      poll_now_ = false;
      without_poll_ = 0;
      poll_sn_ = tx_next() - 1;
      poll_due_ = now_ + o_.poll_retransmit_ns;
    }
    if (row.decode_time_ns > 0) arrivals_.emplace(now_ + row.decode_time_ns, Arrival{sn, poll});
  }

  void let_happen() {
    while (true) {
      if (arrivals_.count(now_) > 0) {
        arrive();
      } else if (reassembly_due_ == now_) {
        end_reassembly();
      } else if (is_triggered_ && prohibited_until_ <= now_) {
        report();
      } else if (reports_.count(now_) > 0) {
        learn();
      } else if (poll_due_ == now_) {
        poll_due_ = never;
        poll_now_ = true;
        if (is_last()) repeats_.push_back(tx_next() - 1);
      } else {
        return;
      }
      if (poll_waits_ < 0 || poll_waits_ >= status_) continue;
      poll_waits_ = -1;
      is_triggered_ = true;
    }
  }

  void arrive() {
    const Arrival arrival = arrivals_.begin()->second;
    arrivals_.erase(arrivals_.begin());
    const bool is_discarded = is_settled(arrival.sn);
    if (!is_discarded) settle(arrival.sn, true);
    if (arrival.poll && (is_discarded || arrival.sn < status_)) {
      is_triggered_ = true;
    } else if (arrival.poll) {
      poll_waits_ = std::max(poll_waits_, arrival.sn);
    }
  }

  void settle(std::int64_t sn, bool arrived) {
    settle_only(sn, arrived);
    if (trigger_ <= missing_from(0)) reassembly_due_ = never;
    if (reassembly_due_ == never) watch(missing_from(0));
  }

  void settle_only(std::int64_t sn, bool arrived) {
    if (arrived) {
      has_[sn] = now_;
    } else {
      lost_.insert(sn);
      release(sn, false);
    }
    highest_ = std::max(highest_, sn + 1);
    if (sn == status_) status_ = missing_from(sn);
    const std::int64_t next = missing_from(0);
    for (const auto& [other, time_ns] : has_) {
      if (other < next || !o_.in_order) release(other, true);
    }
  }

  void watch(std::int64_t from) {
    if (highest_ <= from + 1) return;
    reassembly_due_ = now_ + o_.reassembly_ns;
    trigger_ = highest_;
  }

  void end_reassembly() {
    reassembly_due_ = never;
    for (std::int64_t sn = 0; !o_.acknowledged && sn < trigger_; ++sn) {
      if (!is_settled(sn)) settle_only(sn, false);
    }
    status_ = missing_from(o_.acknowledged ? trigger_ : 0);
    watch(status_);
    if (o_.acknowledged) is_triggered_ = true;
  }

  void report() {
    is_triggered_ = false;
    reports_.emplace(now_ + rtt_ns_, Report{now_, status_});
    prohibited_until_ = now_ + o_.status_prohibit_ns;
  }

  void learn() {
    const Report report = reports_.begin()->second;
    reports_.erase(reports_.begin());
    for (std::int64_t sn = next_ack(); sn < report.ack_sn; ++sn) {
      Segment& segment = segments_[static_cast<std::size_t>(sn)];
      const auto place = std::find(repeats_.begin(), repeats_.end(), sn);
      if (has_.count(sn) > 0 && has_[sn] <= report.made_ns) segment.acknowledged = true;
      if (segment.acknowledged) {
        if (place != repeats_.end()) repeats_.erase(place);
      } else if (place == repeats_.end() && segment.sent <= o_.max_retransmissions) {
        repeats_.push_back(sn);
      } else if (place == repeats_.end()) {
        segment.acknowledged = true;
        if (!is_settled(sn)) settle(sn, false);
      }
    }
    if (poll_sn_ < report.ack_sn) poll_due_ = never;
  }

  void release(std::int64_t sn, bool delivered) {
    if (!told_.insert(sn).second) return;
    const std::int64_t packet = segments_[static_cast<std::size_t>(sn)].packet;
    failed_[packet] = failed_[packet] || !delivered;
    if (--open_[packet] == 0) released_[packet] = {packet, now_, !failed_[packet]};
  }

  const RlcOptions o_;
  const std::vector<PhyRow>& rows_;
  const Nanoseconds rtt_ns_;
  Nanoseconds now_ = 0;
  std::vector<std::int64_t> queue_;             // packet of each unsent segment
  std::map<std::int64_t, std::int64_t> open_;   // segments of each packet whose fate is open
  std::map<std::int64_t, bool> failed_;
  std::map<std::int64_t, Release> released_;
  std::set<std::int64_t> told_;                 // segments whose fate has been told
  std::multimap<Nanoseconds, Arrival> arrivals_;
  std::multimap<Nanoseconds, Report> reports_;

  std::vector<Segment> segments_;
  std::vector<std::int64_t> repeats_;
  std::int64_t without_poll_ = 0;
  std::int64_t poll_sn_ = -1;
  Nanoseconds poll_due_ = never;
  bool poll_now_ = false;

  std::map<std::int64_t, Nanoseconds> has_;     // segments that have arrived, and when
  std::set<std::int64_t> lost_;
  std::int64_t missing_ = 0;
  std::int64_t next_ack_ = 0;
  std::int64_t highest_ = 0;
  std::int64_t status_ = 0;
  std::int64_t trigger_ = 0;
  std::int64_t poll_waits_ = -1;
  Nanoseconds reassembly_due_ = never;
  Nanoseconds prohibited_until_ = 0;
  bool is_triggered_ = false;  // a status report
};

}  // namespace clift
