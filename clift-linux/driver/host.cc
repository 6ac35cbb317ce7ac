// The C interface of a run for programs in C and Rust: settings, flows, records, and the paths in between.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "clift.h"
#include "core/input_error.h"
#include "core/schema.h"
#include "core/setting_table.h"
#include "core/words.h"
#include "emulate/flow_table.h"
#include "emulate/report.h"
#include "path.h"
#include "records.h"

namespace clift {
namespace {

constexpr long long tcp_header_bytes = 52;  // TCP with timestamps, and IP
constexpr int failure_status = 2;           // the last line on stderr is the reason
constexpr char settings_file[] = "settings.txt", second_path_file[] = "second.txt";

struct Flow {
  clift_flow settings{};
  SegmentNumbers segments[CLIFT_DIRECTIONS];
  std::int64_t handed_bytes = 0;
};

struct Experiment {
  std::unique_ptr<Records> records;
  std::deque<Path> paths;
  std::vector<Flow> flows;
  std::int64_t sent_packets = 0;
  Counters counters;
};

Experiment* experiment = nullptr;

// Settings of the run and of its first path.
SettingTable table_of(PathOptions& path, clift_settings& settings) {
  SettingTable table;
  path.declare(table);
  const auto number = [&table](const char* name, long long& target) {
    table.add(name, [name, &target](const std::string& value) {
      const auto found = number_in(value, 0LL, static_cast<long long>(most_setting));
      if (!found) SettingTable::refuse(name, value, "a whole number");
      target = *found;
    });
  };
  number("duration_ns", settings.duration_ns);
  number("packet_bytes", settings.packet_bytes);
  number("send_buffer_bytes", settings.send_buffer_bytes);
  number("window_packets", settings.window_packets);
  number("list_controls", settings.list_controls);
  number("qdisc_packets", settings.qdisc_packets);
  table.add("qdisc", [&](const std::string& value) {
    std::snprintf(settings.qdisc, sizeof settings.qdisc, "%s", value.c_str());
    path.has_own_queue = true;
    // No packet waits in the link core.
    path.core.limits.packets = most_setting;
  });
  table.add("flow", [](const std::string& value) {
    Flow flow;
    clift_flow& own = flow.settings;
    std::string control;
    std::istringstream in(value);
    in >> control >> own.direction >> own.start_ns >> own.end_ns >> own.transfer_bytes >> own.first_half_bytes >>
        own.pause_ns >> own.access_ns >> own.delayed_acks >> own.ecn >> own.receive_buffer_bytes;
    if (!in) SettingTable::refuse("flow", value, "a control and ten numbers");
    std::snprintf(own.control, sizeof own.control, "%s", control.c_str());
    experiment->flows.push_back(flow);
  });
  return table;
}

// A file of settings holds one `KEY VALUE` per line, a value lasts to its end; `tmt` writes it.
void read_settings(const std::string& path, const SettingTable& table) {
  std::ifstream file(path);
  if (!file) throw InputError(path, "cannot be read");
  for (std::string line; std::getline(file, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) throw InputError(path, "the value of " + line + " is missing");
    try {
      table.set(line.substr(0, blank), line.substr(blank + 1));
    } catch (const SettingError& error) {
      throw InputError(path, error.what());
    }
  }
}

void open_path(PathOptions& options) {
  options.core.complete();
  experiment->paths.emplace_back(options, *experiment->records);
}

// A direction of the whole run: each path has two.
Path& path_of(int direction) { return experiment->paths[static_cast<std::size_t>(direction / CLIFT_DIRECTIONS)]; }

int on_path(int direction) { return direction % CLIFT_DIRECTIONS; }

// Only the first path can have a queue of the kernel's own in front of its links.
Path& path_with_own_queue() { return experiment->paths.front(); }

// One-way delay of a packet's access link, if that lies at this end of its direction.
Nanoseconds access_ns(const schema::PacketRecord& packet, bool at_the_begin) {
  if (experiment->flows.empty()) return 0;
  const clift_flow& flow = experiment->flows[packet.flow].settings;
  // The access link is at the begin of the forward direction, whatever the flow's own.
  return (packet.direction == CLIFT_FORWARD) == at_the_begin ? flow.access_ns : 0;
}

// Numbers a record: from the sequence number of a data segment, or from the acknowledged number of an ACK.
void number(schema::PacketRecord& record, const clift_packet& packet) {
  Flow& flow = experiment->flows[static_cast<std::size_t>(packet.flow)];
  SegmentNumbers& own = flow.segments[record.direction];
  if (packet.number > 0) {
    record.sequence = packet.number;
    record.transmission = 1;
  } else if (packet.syn != 0 || packet.payload_bytes > 0) {
    const auto sent = packet.syn != 0 ? own.begin(packet.sequence) : own.sent(packet.sequence, packet.payload_bytes);
    record.sequence = sent.segment;
    record.transmission = sent.transmission;
  } else {
    record.sequence = flow.segments[1 - record.direction].acknowledged(packet.acknowledged);
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
  sent->record.direction = static_cast<std::uint8_t>(on_path(packet.direction));
  sent->record.flow = static_cast<std::uint16_t>(packet.flow);
  sent->record.size_bytes = packet.size_bytes;
  sent->record.uid = experiment->sent_packets++;
  sent->before_ns = access_ns(sent->record, true);
  sent->behind_ns = access_ns(sent->record, false);
  return sent;
}

void begin_path(PacketInHand sent, const clift_packet& packet) {
  experiment->records->add(sent->record, schema::PacketEvent::sent, sent->record.time_ns);
  sent->view = view_of(packet, sent->record.sequence);
  path_of(packet.direction).take(std::move(sent));
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
    PathOptions options;
    read_settings(settings_file, table_of(options, *settings));
    settings->flows = static_cast<long long>(experiment->flows.size());
    settings->seed = options.seed;
    experiment->records = std::make_unique<Records>();
    open_path(options);
  });
}

int clift_open_second_path(void) {
  return guarded([&] {
    if (access(second_path_file, F_OK) != 0) return 0;
    PathOptions options;
    SettingTable table;
    options.declare(table);
    read_settings(second_path_file, table);
    open_path(options);
    return 1;
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
  for (Path& path : experiment->paths) {
    if (void* handle = path.dropped()) return handle;
  }
  return nullptr;
}

void* clift_offered(int direction) { return path_of(direction).offered(on_path(direction)); }

void clift_carry(long long now_ns, void* handle, unsigned char ecn) {
  guarded([&] { path_with_own_queue().carry(now_ns, handle, static_cast<Ecn>(ecn)); });
}

long long clift_ready_ns(int direction) { return path_of(direction).ready_ns(on_path(direction)); }

void clift_queue_dropped(long long now_ns, void* handle, int is_for_want_of_room) {
  guarded([&] {
    const auto event = is_for_want_of_room != 0 ? schema::PacketEvent::queue_dropped : schema::PacketEvent::aqm_dropped;
    path_with_own_queue().queue_dropped(now_ns, handle, event);
  });
}

long long clift_next_due_ns(int direction) { return path_of(direction).next_due_ns(on_path(direction)); }

clift_fate clift_due(long long now_ns, int direction, void** handle) {
  return guarded([&] { return path_of(direction).due(now_ns, on_path(direction), handle); });
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
    experiment->records->add(data, schema::PacketEvent::decoded, now_ns);
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
  guarded([&] { experiment->records->add(window); });
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
    experiment->records->close();
    clift_count("end_ns", -1, now_ns);
    clift_count("header_bytes", -1, tcp_header_bytes);
    clift_count("most_late_ns", -1, experiment->records->most_late_ns());
    clift_count("recorded_qdisc_drops", -1, path_with_own_queue().queue_drops());
    const char* prefix = "";
    for (const Path& path : experiment->paths) {
      path.count(experiment->counters, prefix, now_ns);
      prefix = "second_";
    }
    write_counters("counters.tsv", experiment->counters);
  });
}
