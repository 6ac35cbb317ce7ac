// Flows of programs, found from the bytes of their packets: TCP and UDP over IPv4 and IPv6.
#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "clift.h"
#include "core/input_error.h"
#include "emulate/flow_table.h"
#include "emulate/ip_packet.h"
#include "host.h"
#include "used_files.h"

namespace clift {
namespace {

constexpr std::uint8_t icmp = 1, tcp = 6, udp = 17, icmp6 = 58;
constexpr std::size_t udp_header = 8, ip6_header = 40;
constexpr std::size_t usual_tcp_headers = 52;  // IPv4, and TCP with timestamps

struct WireFlow {
  int version = 0;
  std::uint8_t protocol = 0;
  std::uint16_t ports[CLIFT_DIRECTIONS] = {};  // at the near and the far end
  std::size_t header_bytes = 0;                // of its packets with payload; 0: it has had none
  int path = 0;
};

struct WireFlows {
  FlowTable table;
  std::vector<WireFlow> flows;
};

WireFlows* wire = nullptr;

std::size_t ip_header(ByteView bytes) {
  return bytes.data[0] >> 4 == 4 ? std::size_t{bytes.data[0] & 0xfu} * 4 : ip6_header;
}

void describe(ByteView bytes, int path, int direction, std::uint16_t number) {
  const auto packet = parsed(bytes);
  if (number == wire->flows.size()) {
    WireFlow flow;
    if (packet) flow = {packet->version, packet->protocol, {packet->from.port, packet->to.port}, 0, 0};
    if (direction == CLIFT_RETURN) std::swap(flow.ports[0], flow.ports[1]);
    flow.path = path;
    wire->flows.push_back(flow);
  }
  WireFlow& flow = wire->flows[std::min<std::size_t>(number, wire->flows.size() - 1)];
  if (!packet || flow.header_bytes > 0) return;
  if (packet->tcp) {
    if (packet->tcp->payload_bytes > 0) flow.header_bytes = bytes.size - packet->tcp->payload_bytes;
  } else {
    flow.header_bytes = ip_header(bytes) + (packet->protocol == udp ? udp_header : 0);
  }
}

std::string name_of(std::uint8_t protocol) {
  if (protocol == tcp) return "tcp";
  if (protocol == udp) return "udp";
  if (protocol == icmp || protocol == icmp6) return "icmp";
  return std::to_string(protocol);
}

void write_flows() {
  std::ofstream file("flows.txt");
  for (std::size_t number = 0; wire != nullptr && number < wire->flows.size(); ++number) {
    const WireFlow& flow = wire->flows[number];
    file << number << '\t' << name_of(flow.protocol) << '\t' << flow.version << '\t' << flow.ports[0] << '\t'
         << flow.ports[1] << '\t' << (flow.header_bytes > 0 ? flow.header_bytes : usual_tcp_headers) << '\t' << flow.path << '\n';
  }
  if (!file.flush()) throw InputError("flows.txt", "cannot be written");
}

ByteView view(const void* bytes, unsigned long count) { return {static_cast<const std::uint8_t*>(bytes), count}; }

}  // namespace
}  // namespace clift

using namespace clift;

int clift_is_housekeeping(const void* bytes, unsigned long count) { return is_housekeeping(view(bytes, count)) ? 1 : 0; }

void clift_take_bytes(long long now_ns, clift_packet* packet, const void* bytes) {
  try {
    if (wire == nullptr) wire = new WireFlows;
    const ByteView all = view(bytes, packet->size_bytes);
    schema::PacketRecord record{};
    const int path = packet->direction / CLIFT_DIRECTIONS, direction = packet->direction % CLIFT_DIRECTIONS;
    wire->table.number(all, static_cast<std::uint8_t>(direction), record);
    describe(all, path, direction, record.flow);
    packet->flow = record.flow;
    clift_take_numbered(now_ns, packet, record.sequence, record.transmission);
  } catch (const std::exception& error) {
    clift_fail(error.what());
  }
}

void clift_write_lists() {
  try {
    write_used_files();
    write_flows();
  } catch (const std::exception& error) {
    clift_fail(error.what());
  }
}
