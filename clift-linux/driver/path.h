// A path of a run: two links of the link core, with ACK thinning, the kernel's own queue and access links around them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "clift.h"
#include "core/ack_thinning.h"
#include "core/path_settings.h"
#include "core/schema.h"
#include "core/trace_file.h"
#include "emulate/link.h"
#include "emulate/report.h"
#include "records.h"

namespace clift {

// A packet on its way; ACK thinning may exchange two of them.
struct SentPacket {
  void* handle;
  schema::PacketRecord record;
  AckView view;
  Ecn ecn;                                 // as it was sent
  Nanoseconds before_ns = 0, behind_ns = 0;  // delays of its access links
  Nanoseconds offered_ns = 0;              // when it came to the kernel's own queue
};

using PacketInHand = std::unique_ptr<SentPacket>;

struct PathOptions {
  PathSettings core;
  std::int64_t seed = 1;
  bool filters_acks = false;
  Nanoseconds ack_interval_ns = 0;
  bool has_own_queue = false;  // the kernel's

  void declare(SettingTable& table);
};

// A direction is CLIFT_FORWARD or CLIFT_RETURN.
class Path {
 public:
  // Opens the traces; throws InputError.
  Path(const PathOptions& options, Records& records);

  // A packet begins its way; its sending is recorded.
  void take(PacketInHand packet);
  // The handle of a packet that has been dropped; null if there is none.
  void* dropped();

  Nanoseconds next_due_ns(int direction) const;
  clift_fate due(Nanoseconds now_ns, int direction, void** handle);

  // With the kernel's own queue; see clift.h.
  void* offered(int direction);
  void carry(Nanoseconds now_ns, void* handle, Ecn ecn);
  Nanoseconds ready_ns(int direction) const { return link_to(direction).ready_ns(); }
  void queue_dropped(Nanoseconds now_ns, void* handle, schema::PacketEvent event);
  std::int64_t queue_drops() const { return queue_drops_; }

  // Adds the use of the traces, with names that begin so.
  void count(Counters& counters, const std::string& prefix, Nanoseconds now_ns) const;

 private:
  using Link = clift::Link<PacketInHand>;

  // A place in the return link's queue: the number by which the link knows it, and its packet.
  struct QueuePlace {
    std::int64_t uid;
    SentPacket* packet;
  };

  // Packets of one direction on the flows' access links, in order of time, then of arrival: before the link and behind.
  struct Access {
    std::multimap<Nanoseconds, PacketInHand> before, behind;

    Nanoseconds next_ns() const { return std::min(next_of(before), next_of(behind)); }

   private:
    static Nanoseconds next_of(const std::multimap<Nanoseconds, PacketInHand>& packets) {
      return packets.empty() ? never : packets.begin()->first;
    }
  };

  Link link_of(int direction);
  Link& link_to(int direction) { return links_[static_cast<std::size_t>(direction)]; }
  const Link& link_to(int direction) const { return links_[static_cast<std::size_t>(direction)]; }
  Access& access_of(int direction) { return access_[static_cast<std::size_t>(direction)]; }
  void drop(PacketInHand packet, schema::PacketEvent event, Nanoseconds now_ns);
  void record_queue(Link& link, Nanoseconds now_ns);
  void join_link(PacketInHand packet, Nanoseconds now_ns);
  void join_queue(PacketInHand packet, Nanoseconds now_ns);
  void join_filtered(PacketInHand packet, Nanoseconds now_ns);
  PacketInHand out_of_queue(void* handle);
  void release_acks(Nanoseconds now_ns);
  void space(PacketInHand packet, Nanoseconds now_ns);
  void enter_link(PacketInHand packet, Nanoseconds now_ns);

  const PathOptions options_;
  Records& records_;
  std::array<std::unique_ptr<LinkTraceFile>, CLIFT_DIRECTIONS> traces_;
  std::deque<Link> links_;
  AckFilter<QueuePlace> ack_filter_;
  std::optional<AckSpacing<PacketInHand>> ack_spacing_;  // with an interval
  std::vector<void*> dropped_;
  std::array<std::deque<void*>, CLIFT_DIRECTIONS> offered_;  // to the kernel's own queue
  std::unordered_map<void*, PacketInHand> in_queue_;         // of the kernel's own, and offered to it
  std::int64_t queue_drops_ = 0;                             // of that queue
  std::array<Access, CLIFT_DIRECTIONS> access_;
};

}  // namespace clift
