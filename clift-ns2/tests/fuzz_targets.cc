#include "tests/fuzz_targets.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/delivery_plan.h"
#include "core/input_error.h"
#include "core/npy.h"
#include "core/trace_file.h"
#include "emulate/flow_table.h"
#include "emulate/frame.h"
#include "emulate/settings.h"

namespace clift {

namespace {

constexpr std::size_t option_bytes = 8;
constexpr int carried_packets = 50;
constexpr Nanoseconds last_arrival_ns = 4'000'000'000'000'000'000;
// Rows 1 ns apart with 2 GiB each hold more bytes in 5 s than 63 bits count.
constexpr Nanoseconds last_sized_arrival_ns = 1'000'000'000;
constexpr std::size_t largest_frame = 10 + 65'535;

void require(bool holds) {
  if (!holds) std::abort();
}

// Returns the path of a file in memory with this content.
std::string in_memory(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("input", MFD_CLOEXEC);
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  return "/proc/self/fd/" + std::to_string(file);
}

PlanOptions options_of(const std::uint8_t* data, LinkRows rows) {
  PlanOptions options;
  options.lldu_bytes = 1 + data[0] * data[0];
  options.packing = (data[1] & 1) != 0 ? Packing::packed : Packing::padded;
  options.loop = (data[1] & 2) != 0 && rows.count > 1;
  options.in_order = (data[1] & 4) != 0;
  options.hold_ns = (data[1] & 8) != 0 ? Nanoseconds{1'000'000} << (data[2] & 31) : 0;
  const Nanoseconds span_ns = rows[rows.count - 1].tx_time_ns - rows[0].tx_time_ns;
  options.offset_ns = span_ns / 255 * data[3];
  if (data[7] == 0) return options;
  options.begin_ns = rows[0].tx_time_ns / 2;
  options.length_ns = rows.last_tx_ns() + 1 - options.begin_ns + (Nanoseconds{data[7]} << 20);
  options.offset_ns = (options.length_ns - 1) / 255 * data[3];
  options.loop = (data[1] & 2) != 0;
  return options;
}

void carry(const std::uint8_t* data, LinkRows rows) {
  DeliveryPlan plan(rows, options_of(data, rows));
  const Nanoseconds last_ns = rows.have_sizes() ? last_sized_arrival_ns : last_arrival_ns;
  Nanoseconds now_ns = 0;
  RowUse before{};
  for (int packet = 0; packet < carried_packets && now_ns <= last_ns; ++packet) {
    now_ns += Nanoseconds{data[4]} << (data[5] & 55);
    if (now_ns > last_ns) return;
    Delivery delivery;
    if (plan.plan(now_ns, 1 + 6 * data[6], delivery)) {
      require(delivery.departure_ns >= now_ns && delivery.arrival_ns >= delivery.departure_ns);
    }
    const RowUse use = plan.use_until(now_ns);
    require(use.offered >= before.offered && use.used >= before.used && use.repeats >= before.repeats);
    before = use;
  }
}

}  // namespace

void fuzz_traces(const std::uint8_t* data, std::size_t size) {
  if (size < option_bytes) return;
  const std::string path = in_memory(data + option_bytes, size - option_bytes);
  try {
    const PhyTraceFile phy(path);
    require(phy.rows().count > 0);
  } catch (const InputError& refused) {
    require(*refused.what() != '\0');
  }
  try {
    const LinkTraceFile link(path);
    carry(data, link.rows());
  } catch (const InputError& refused) {
    require(*refused.what() != '\0');
  }
}

void fuzz_frames(const std::uint8_t* data, std::size_t size) {
  FlowTable table;
  while (size >= 2) {
    const std::size_t length = std::min<std::size_t>(data[0] + 256 * data[1], size - 2);
    std::vector<Frame> frames;
    cut(ByteView(data + 2, length), frames);
    for (const Frame& frame : frames) {
      require(frame.size() <= std::max(largest_frame, length));
      schema::PacketRecord record{};
      table.number(packet_in(frame), length % 2, record);
      is_housekeeping(packet_in(frame));
    }
    data += 2 + length;
    size -= 2 + length;
  }
}

void fuzz_emulator_settings(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words{"clift-emulate", ""};
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] != 0) {
      words.back() += static_cast<char>(data[i]);
    } else {
      words.emplace_back();
    }
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  try {
    const Settings settings = settings_of(static_cast<int>(argv.size()), argv.data());
    require(!settings.command.empty() && settings.queue.limits.packets > 0);
  } catch (const SettingError& refused) {
    require(*refused.what() != '\0');
  }
}

}  // namespace clift
