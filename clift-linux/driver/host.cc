// The links of a run for programs in C and Rust: the link core of clift-ns2, packet and window records, settings.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "clift.h"
#include "core/ack_thinning.h"
#include "core/input_error.h"
#include "core/path_settings.h"
#include "core/record_file.h"
#include "core/schema.h"
#include "core/setting_table.h"
#include "core/trace_file.h"
#include "core/words.h"
#include "emulate/flow_table.h"
#include "emulate/link.h"
#include "emulate/report.h"

namespace clift {
namespace {

// A packet on its way; ACK thinning may exchange two of them.
struct SentPacket {
  void* handle;
  schema::PacketRecord record;
  AckView view;
  Ecn ecn;  // as it was sent
  Nanoseconds offered_ns = 0;  // when it came to the kernel's own queue
};

using KernelLink = Link<std::unique_ptr<SentPacket>>;
using PacketInHand = std::unique_ptr<SentPacket>;

// A place in the return link's queue: the number by which the link knows it, and its packet.
struct QueuePlace {
  std::int64_t uid;
  SentPacket* packet;
};

constexpr long long tcp_header_bytes = 52;  // TCP with timestamps, and IP
constexpr int failure_status = 2;           // the last line on stderr is the reason

struct Flow {
  clift_flow settings{};
  SegmentNumbers segments[CLIFT_DIRECTIONS];
  std::int64_t handed_bytes = 0;
};

// Packets of one direction on the flows' access links, in order of time, then of arrival: before the link and behind it.
struct Access {
  std::multimap<Nanoseconds, PacketInHand> before, behind;

  Nanoseconds next_ns() const { return std::min(next_of(before), next_of(behind)); }

 private:
  static Nanoseconds next_of(const std::multimap<Nanoseconds, PacketInHand>& packets) {
    return packets.empty() ? never : packets.begin()->first;
  }
};

struct Experiment {
  PathSettings path;
  std::int64_t seed = 1;
  std::array<std::unique_ptr<LinkTraceFile>, CLIFT_DIRECTIONS> traces;
  std::deque<KernelLink> links;
  bool filters_acks = false;
  Nanoseconds ack_interval_ns = 0;
  AckFilter<QueuePlace> ack_filter;
  std::optional<AckSpacing<PacketInHand>> ack_spacing;  // with an interval
  std::vector<void*> dropped;
  std::array<std::deque<void*>, CLIFT_DIRECTIONS> offered;  // to the kernel's own queue
  std::unordered_map<void*, PacketInHand> in_queue;         // of the kernel's own, and offered to it
  std::int64_t queue_drops = 0;                             // of that queue
  std::array<Access, CLIFT_DIRECTIONS> access;
  std::vector<Flow> flows;
  std::unique_ptr<RecordFile<schema::PacketRecord>> packets;
  std::unique_ptr<RecordFile<schema::WindowRecord>> windows;
  std::int64_t sent_packets = 0;
  Nanoseconds last_record_ns = 0;
  Nanoseconds most_late_ns = 0;  // largest delay of a packet at the far end after its due time
  Counters counters;
  bool has_own_queue = false;
};

Experiment* experiment = nullptr;

SettingTable table_of(Experiment& run, clift_settings& settings) {
  SettingTable table;
  run.path.declare(table);
  const auto number = [&table](const char* name, long long& target) {
    table.add(name, [name, &target](const std::string& value) {
      const auto found = number_in(value, 0LL, static_cast<long long>(most_setting));
      if (!found) SettingTable::refuse(name, value, "a whole number");
      target = *found;
    });
  };
  table.add_flag("ack_filter", run.filters_acks);
  table.add_whole("ack_interval_ns", run.ack_interval_ns, 0, most_setting);
  number("duration_ns", settings.duration_ns);
  number("packet_bytes", settings.packet_bytes);
  number("send_buffer_bytes", settings.send_buffer_bytes);
  number("window_packets", settings.window_packets);
  number("list_controls", settings.list_controls);
  number("qdisc_packets", settings.qdisc_packets);
  table.add("qdisc", [&](const std::string& value) {
    std::snprintf(settings.qdisc, sizeof settings.qdisc, "%s", value.c_str());
    run.has_own_queue = true;
    // No packet waits in the link core.
    run.path.limits.packets = most_setting;
  });
  table.add_whole("seed", run.seed, 0, most_setting);
  table.add("flow", [&run](const std::string& value) {
    Flow flow;
    clift_flow& own = flow.settings;
    std::string control;
    std::istringstream in(value);
    in >> control >> own.direction >> own.start_ns >> own.end_ns >> own.transfer_bytes >> own.first_half_bytes >>
        own.pause_ns >> own.access_ns >> own.delayed_acks >> own.ecn >> own.receive_buffer_bytes;
    if (!in) SettingTable::refuse("flow", value, "a control and ten numbers");
    std::snprintf(own.control, sizeof own.control, "%s", control.c_str());
    run.flows.push_back(flow);
  });
  return table;
}

// The settings file holds one `KEY VALUE` per line, a value lasts to its end; `tmt` writes it.
void read_settings(const std::string& path, Experiment& run, clift_settings& settings) {
  const SettingTable table = table_of(run, settings);
  std::ifstream file(path);
  if (!file) throw InputError(path, "cannot be read");
  for (std::string line; std::getline(file, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) throw InputError(path, "the value of " + line + " is missing");
    table.set(line.substr(0, blank), line.substr(blank + 1));
  }
  run.path.complete();
  settings.flows = static_cast<long long>(run.flows.size());
  settings.seed = run.seed;
}

KernelLink link_of(Experiment& run, int direction) {
  const LinkSettings& link = run.path.links[direction];
  auto& trace = run.traces[static_cast<std::size_t>(direction)];
  trace = link.opened();
  return {link.plan(trace.get()), run.path.queue, run.path.propagation(),
          seeded_uniform(static_cast<std::uint64_t>(CLIFT_DIRECTIONS * run.seed + direction))};
}

void record(schema::PacketRecord packet, schema::PacketEvent event, Nanoseconds now_ns) {
  packet.delay_ns = event == schema::PacketEvent::received ? now_ns - packet.time_ns : schema::unsettled;
  packet.time_ns = now_ns;
  experiment->last_record_ns = now_ns;
  packet.event = static_cast<std::uint8_t>(event);
  experiment->packets->append(packet);
}

KernelLink& link_to(int direction) { return experiment->links[static_cast<std::size_t>(direction)]; }

Access& access_of(int direction) { return experiment->access[static_cast<std::size_t>(direction)]; }

// One-way delay of a packet's access link, if that lies at this end of its direction.
Nanoseconds access_ns(const schema::PacketRecord& packet, bool at_the_begin) {
  if (experiment->flows.empty()) return 0;
  const clift_flow& flow = experiment->flows[packet.flow].settings;
  // The access link is at the begin of the forward direction, whatever the flow's own.
  return (packet.direction == CLIFT_FORWARD) == at_the_begin ? flow.access_ns : 0;
}

// Records the arrival of a packet at its receiver, which was due then. The kernel's timer goes off a nanosecond late;
// records stay in order of time.
void arrive(Nanoseconds now_ns, Nanoseconds due_ns, const schema::PacketRecord& packet, schema::PacketEvent event) {
  if (event == schema::PacketEvent::received) {
    experiment->most_late_ns = std::max<Nanoseconds>(experiment->most_late_ns, now_ns - due_ns);
  }
  experiment->last_record_ns = std::max(experiment->last_record_ns, due_ns);
  record(packet, event, std::min<Nanoseconds>(experiment->last_record_ns, now_ns));
}

void count_link(const char* name, int direction, Nanoseconds now_ns) {
  const auto use = link_to(direction).row_use(now_ns);
  if (!use) return;
  const std::string prefix = name;
  experiment->counters.insert(experiment->counters.end(), {{prefix + "_rows_offered", use->offered},
                                                           {prefix + "_rows_used", use->used},
                                                           {prefix + "_bytes_offered", use->offered_bytes},
                                                           {prefix + "_bytes_used", use->used_bytes},
                                                           {prefix + "_trace_repeats", use->repeats}});
}

// Numbers a record: from the sequence number of a data segment, or from the acknowledged number of an ACK.
void number(schema::PacketRecord& record, const clift_packet& packet) {
  Flow& flow = experiment->flows[static_cast<std::size_t>(packet.flow)];
  SegmentNumbers& own = flow.segments[packet.direction];
  if (packet.number > 0) {
    record.sequence = packet.number;
    record.transmission = 1;
  } else if (packet.syn != 0 || packet.payload_bytes > 0) {
    const auto sent = packet.syn != 0 ? own.begin(packet.sequence) : own.sent(packet.sequence, packet.payload_bytes);
    record.sequence = sent.segment;
    record.transmission = sent.transmission;
  } else {
    record.sequence = flow.segments[1 - packet.direction].acknowledged(packet.acknowledged);
  }
}

void drop(PacketInHand packet, schema::PacketEvent event, Nanoseconds now_ns) {
  record(packet->record, event, std::max(now_ns, experiment->last_record_ns));
  experiment->dropped.push_back(packet->handle);
}

// Records drops and marks of a link's queue, which have happened by now.
void record_queue(KernelLink& link, Nanoseconds now_ns) {
  while (auto found = link.queue_event()) {
    const Nanoseconds time_ns = std::min(found->time_ns, now_ns);
    if (found->event != schema::PacketEvent::marked) {
      drop(std::move(found->packet.payload), found->event, time_ns);
    } else {
      record(found->packet.record, found->event, std::max(time_ns, experiment->last_record_ns));
    }
  }
}

void join_link(PacketInHand packet, Nanoseconds now_ns) {
  KernelLink& link = link_to(packet->record.direction);
  KernelLink::Packet queued;
  queued.record = packet->record;
  queued.ecn = packet->ecn;
  queued.payload = std::move(packet);
  link.take(now_ns, std::move(queued));
  record_queue(link, now_ns);
}

void join_queue(PacketInHand packet, Nanoseconds now_ns) {
  if (!experiment->has_own_queue) return join_link(std::move(packet), now_ns);
  void* const handle = packet->handle;
  packet->offered_ns = now_ns;
  experiment->offered[packet->record.direction].push_back(handle);
  experiment->in_queue[handle] = std::move(packet);
}

PacketInHand out_of_queue(void* handle) {
  auto found = experiment->in_queue.extract(handle);
  if (found.empty()) throw InputError("the kernel's queue", "gives a packet that it has not taken");
  return std::move(found.mapped());
}

// A packet comes to the return link's queue behind the filter.
void join_filtered(PacketInHand packet, Nanoseconds now_ns) {
  const AckView view = packet->view;
  AckFilter<QueuePlace>& filter = experiment->ack_filter;
  KernelLink& link = link_to(CLIFT_RETURN);
  QueuePlace own{packet->record.uid, packet.get()};
  const auto place = filter.place_for(view);
  if (place && link.waits(now_ns, place->uid)) {
    std::swap(*packet, *place->packet);
    filter.joined(view, *place);
    drop(std::move(packet), schema::PacketEvent::ack_thinned, now_ns);
    return;
  }
  const std::size_t dropped = experiment->dropped.size();
  join_queue(std::move(packet), now_ns);
  if (experiment->dropped.size() == dropped) filter.joined(view, own);
}

// The held ACKs that are due by now join the queue.
void release_acks(Nanoseconds now_ns) {
  auto& spacing = experiment->ack_spacing;
  if (!spacing) return;
  spacing->release(now_ns);
  for (auto& passed : spacing->take_passed()) join_queue(std::move(passed.packet), passed.time_ns);
}

void space(PacketInHand packet, Nanoseconds now_ns) {
  const AckView view = packet->view;
  auto& spacing = *experiment->ack_spacing;
  auto replaced = spacing.arrive(now_ns, view, std::move(packet));
  if (replaced) drop(std::move(*replaced), schema::PacketEvent::ack_thinned, now_ns);
  for (auto& passed : spacing.take_passed()) join_queue(std::move(passed.packet), passed.time_ns);
}

// A packet comes to the link of its direction.
void enter_link(PacketInHand packet, Nanoseconds now_ns) {
  const bool returns = packet->record.direction == CLIFT_RETURN;
  if (returns) release_acks(now_ns);
  if (returns && experiment->ack_spacing) {
    space(std::move(packet), now_ns);
  } else if (returns && experiment->filters_acks) {
    join_filtered(std::move(packet), now_ns);
  } else {
    join_queue(std::move(packet), now_ns);
  }
}

AckView view_of(const clift_packet& packet, std::int64_t acknowledged) {
  AckView view;
  view.flow = packet.flow;
  view.acknowledged = acknowledged;
  view.size_bytes = packet.size_bytes;
  view.flags = packet.ecn_flags;
  view.is_plain = packet.is_plain_ack != 0;
  return view;
}

// A packet without its numbers.
PacketInHand sent_packet(const clift_packet& packet, Nanoseconds now_ns) {
  auto sent = std::make_unique<SentPacket>(SentPacket{packet.handle, {}, {}, static_cast<Ecn>(packet.ecn)});
  sent->record.time_ns = now_ns;
  sent->record.direction = static_cast<std::uint8_t>(packet.direction);
  sent->record.flow = static_cast<std::uint16_t>(packet.flow);
  sent->record.size_bytes = packet.size_bytes;
  sent->record.uid = experiment->sent_packets++;
  return sent;
}

void begin_path(PacketInHand sent, const clift_packet& packet) {
  const Nanoseconds now_ns = sent->record.time_ns;
  record(sent->record, schema::PacketEvent::sent, now_ns);
  sent->view = view_of(packet, sent->record.sequence);
  const Nanoseconds before_ns = access_ns(sent->record, true);
  if (before_ns == 0) {
    enter_link(std::move(sent), now_ns);
  } else {
    access_of(packet.direction).before.emplace(now_ns + before_ns, std::move(sent));
  }
}

// The kernel knows no exceptions: an exception of this code ends the run.
template <class Body>
auto guarded(Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    clift_fail(error.what());
  }
}

}  // namespace
}  // namespace clift

using namespace clift;

void clift_open(clift_settings* settings) {
  guarded([&] {
    experiment = new Experiment;
    read_settings("settings.txt", *experiment, *settings);
    for (int direction = 0; direction < CLIFT_DIRECTIONS; ++direction) {
      experiment->links.push_back(link_of(*experiment, direction));
    }
    if (experiment->ack_interval_ns > 0) experiment->ack_spacing.emplace(experiment->ack_interval_ns);
    experiment->packets = std::make_unique<RecordFile<schema::PacketRecord>>("packets.npy");
    experiment->windows = std::make_unique<RecordFile<schema::WindowRecord>>("windows.npy");
  });
}

const clift_flow* clift_flow_of(int flow) { return &experiment->flows[static_cast<std::size_t>(flow)].settings; }

void clift_take(long long now_ns, const clift_packet* packet) {
  guarded([&] {
    PacketInHand sent = sent_packet(*packet, now_ns);
    // A SYN has eight bytes of options more than a data segment; they are no payload.
    if (packet->syn != 0) sent->record.size_bytes = tcp_header_bytes;
    number(sent->record, *packet);
    begin_path(std::move(sent), *packet);
  });
}

void clift_take_numbered(long long now_ns, const clift_packet* packet, long long sequence, int transmission) {
  guarded([&] {
    PacketInHand sent = sent_packet(*packet, now_ns);
    sent->record.sequence = sequence;
    sent->record.transmission = static_cast<std::uint16_t>(transmission);
    begin_path(std::move(sent), *packet);
  });
}

void* clift_dropped(void) {
  if (experiment->dropped.empty()) return nullptr;
  void* handle = experiment->dropped.back();
  experiment->dropped.pop_back();
  return handle;
}

void* clift_offered(int direction) {
  auto& offered = experiment->offered[static_cast<std::size_t>(direction)];
  if (offered.empty()) return nullptr;
  void* handle = offered.front();
  offered.pop_front();
  return handle;
}

void clift_carry(long long now_ns, void* handle, unsigned char ecn) {
  guarded([&] {
    PacketInHand packet = out_of_queue(handle);
    if (static_cast<Ecn>(ecn) != packet->ecn) record(packet->record, schema::PacketEvent::marked, now_ns);
    packet->ecn = static_cast<Ecn>(ecn);
    // The kernel's timer is a nanosecond late; the link has been ready since.
    const Nanoseconds ready_ns = link_to(packet->record.direction).ready_ns();
    const Nanoseconds begin_ns = std::max(packet->offered_ns, std::min<Nanoseconds>(ready_ns, now_ns));
    join_link(std::move(packet), begin_ns);
  });
}

long long clift_ready_ns(int direction) { return link_to(direction).ready_ns(); }

void clift_queue_dropped(long long now_ns, void* handle, int is_for_want_of_room) {
  guarded([&] {
    ++experiment->queue_drops;
    const auto event = is_for_want_of_room != 0 ? schema::PacketEvent::queue_dropped : schema::PacketEvent::aqm_dropped;
    record(out_of_queue(handle)->record, event, now_ns);
  });
}

long long clift_next_due_ns(int direction) {
  const auto& spacing = experiment->ack_spacing;
  const Nanoseconds held_ns = direction == CLIFT_RETURN && spacing ? spacing->next_ns() : never;
  return std::min({link_to(direction).next_due_ns(), access_of(direction).next_ns(), held_ns});
}

clift_fate clift_due(long long now_ns, int direction, void** handle) {
  return guarded([&] {
    Access& access = access_of(direction);
    while (!access.before.empty() && access.before.begin()->first <= now_ns) {
      auto entering = access.before.extract(access.before.begin());
      enter_link(std::move(entering.mapped()), entering.key());
    }
    if (direction == CLIFT_RETURN) release_acks(now_ns);
    while (auto outcome = link_to(direction).outcome(now_ns)) {
      record_queue(link_to(direction), now_ns);
      PacketInHand& packet = outcome->packet.payload;
      const bool delivered = outcome->fate == Fate::delivered;
      if (outcome->is_marked) clift_mark(packet->handle);
      const Nanoseconds behind_ns = access_ns(packet->record, false);
      if (delivered && behind_ns > 0) {
        access.behind.emplace(outcome->due_ns + behind_ns, std::move(packet));
        continue;
      }
      *handle = packet->handle;
      arrive(now_ns, outcome->due_ns, packet->record,
             delivered                     ? schema::PacketEvent::received
             : outcome->fate == Fate::lost ? schema::PacketEvent::link_lost
                                           : schema::PacketEvent::link_unsettled);
      return delivered ? CLIFT_DELIVERED : CLIFT_GIVEN_UP;
    }
    record_queue(link_to(direction), now_ns);
    if (access.behind.empty() || access.behind.begin()->first > now_ns) return CLIFT_NOTHING_DUE;
    const auto arrived = access.behind.extract(access.behind.begin());
    *handle = arrived.mapped()->handle;
    arrive(now_ns, arrived.key(), arrived.mapped()->record, schema::PacketEvent::received);
    return CLIFT_DELIVERED;
  });
}

void clift_hand_over(long long now_ns, int flow, long long bytes) {
  guarded([&] {
    Flow& own = experiment->flows[static_cast<std::size_t>(flow)];
    schema::PacketRecord data{};
    data.time_ns = now_ns;
    data.direction = static_cast<std::uint8_t>(own.settings.direction);
    data.flow = static_cast<std::uint16_t>(flow);
    data.sequence = own.handed_bytes;
    data.size_bytes = static_cast<std::uint32_t>(bytes);
    data.uid = -1;
    own.handed_bytes += bytes;
    record(data, schema::PacketEvent::decoded, now_ns);
  });
}

void clift_record_window(long long now_ns, int flow, unsigned cwnd_packets, unsigned ssthresh_packets, long long srtt_ns,
                         int state, unsigned long long pacing_bytes_per_s) {
  schema::WindowRecord window{};
  window.time_ns = now_ns;
  window.flow = static_cast<std::uint16_t>(flow);
  window.cwnd_packets = cwnd_packets;
  window.ssthresh_packets = ssthresh_packets;
  window.srtt_ns = srtt_ns > 0 ? srtt_ns : schema::unsettled;
  window.state = static_cast<std::uint8_t>(state);
  window.pacing_bps = 8.0 * static_cast<double>(pacing_bytes_per_s);
  guarded([&] { experiment->windows->append(window); });
}

void clift_write_controls(const char* names) {
  guarded([&] {
    if (!(std::ofstream("controls.txt") << names << '\n').flush()) throw InputError("controls.txt", "cannot be written");
  });
}

void clift_count(const char* name, int flow, long long value) {
  const std::string prefix = flow < 0 ? "" : "flow_" + std::to_string(flow) + "_";
  experiment->counters.emplace_back(prefix + name, value);
}

void clift_fail(const char* reason) {
  const std::string line = std::string(reason) + "\n";
  // If even this write fails, nothing can report it.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(failure_status);
}

void clift_close(long long now_ns) {
  guarded([&] {
    experiment->packets->close();
    experiment->windows->close();
    clift_count("end_ns", -1, now_ns);
    clift_count("header_bytes", -1, tcp_header_bytes);
    clift_count("most_late_ns", -1, experiment->most_late_ns);
    clift_count("recorded_qdisc_drops", -1, experiment->queue_drops);
    count_link("forward", CLIFT_FORWARD, now_ns);
    count_link("return", CLIFT_RETURN, now_ns);
    write_counters("counters.tsv", experiment->counters);
  });
}
