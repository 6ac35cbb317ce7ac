// Made by make_schema_header.py from tmt/core/schema.py and tmt/core/words/refusals.py.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clift::schema {

inline constexpr std::int64_t unsettled = -1;

enum class PacketEvent : std::uint8_t { sent, received, link_lost, link_unsettled, queue_dropped, decoded, ack_thinned, aqm_dropped, marked };
enum class CongestionState : std::uint8_t { open, disorder, cwr, recovery, loss };

// One of the forms that the rows of a table may have: with or without optional columns behind the others.
struct RowForm {
  const char* descr;
  std::size_t bytes;
  std::size_t size_bytes_at;  // where the column begins in a row; 0: there is none
  std::size_t es_n0_mdb_at;
  std::size_t mode_at;
};

// PHY trace: one row per slot.
struct [[gnu::packed]] PhyRow {
  static constexpr char kind[] = "phy";
  static constexpr char columns[] = "tx_time_ns <i8, decode_time_ns <i8, optional size_bytes <u4, optional es_n0_mdb <i4, optional mode |u1";
  static constexpr char descr[] = "[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8')]";
  static constexpr RowForm forms[] = {
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8'), ('size_bytes', '<u4'), ('es_n0_mdb', '<i4'), ('mode', '|u1')]", 25, 16, 20, 24},
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8'), ('es_n0_mdb', '<i4'), ('mode', '|u1')]", 21, 0, 16, 20},
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8'), ('size_bytes', '<u4'), ('mode', '|u1')]", 21, 16, 0, 20},
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8'), ('size_bytes', '<u4'), ('es_n0_mdb', '<i4')]", 24, 16, 20, 0},
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8'), ('mode', '|u1')]", 17, 0, 0, 16},
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8'), ('es_n0_mdb', '<i4')]", 20, 0, 16, 0},
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8'), ('size_bytes', '<u4')]", 20, 16, 0, 0},
      {"[('tx_time_ns', '<i8'), ('decode_time_ns', '<i8')]", 16, 0, 0, 0},
  };
  static constexpr std::int64_t min_tx_time_ns = 0;
  static constexpr std::int64_t max_tx_time_ns = 4611686018427387904;
  static constexpr std::int64_t min_decode_time_ns = 0;
  static constexpr std::int64_t max_decode_time_ns = 4611686018427387904;
  static constexpr std::int64_t min_size_bytes = 1;
  static constexpr std::int64_t max_size_bytes = 2147483647;
  static constexpr std::int64_t min_es_n0_mdb = -100000;
  static constexpr std::int64_t max_es_n0_mdb = 100000;
  static constexpr std::int64_t min_mode = 0;
  static constexpr std::int64_t max_mode = 255;
  std::int64_t tx_time_ns;
  std::int64_t decode_time_ns;
};
static_assert(sizeof(PhyRow) == 16);

// link trace: one row per data LLDU, in order of first transmission.
struct [[gnu::packed]] LinkRow {
  static constexpr char kind[] = "link";
  static constexpr char columns[] = "tx_time_ns <i8, delay_ns <i8, delivered |b1, transmissions |u1, optional size_bytes <u4";
  static constexpr char descr[] = "[('tx_time_ns', '<i8'), ('delay_ns', '<i8'), ('delivered', '|b1'), ('transmissions', '|u1')]";
  static constexpr RowForm forms[] = {
      {"[('tx_time_ns', '<i8'), ('delay_ns', '<i8'), ('delivered', '|b1'), ('transmissions', '|u1'), ('size_bytes', '<u4')]", 22, 18, 0, 0},
      {"[('tx_time_ns', '<i8'), ('delay_ns', '<i8'), ('delivered', '|b1'), ('transmissions', '|u1')]", 18, 0, 0, 0},
  };
  static constexpr std::int64_t min_tx_time_ns = 0;
  static constexpr std::int64_t max_tx_time_ns = 4611686018427387904;
  static constexpr std::int64_t min_delay_ns = 0;
  static constexpr std::int64_t max_delay_ns = 4611686018427387904;
  static constexpr std::int64_t min_transmissions = 1;
  static constexpr std::int64_t min_size_bytes = 1;
  static constexpr std::int64_t max_size_bytes = 2147483647;
  std::int64_t tx_time_ns;
  std::int64_t delay_ns;
  std::uint8_t delivered;
  std::uint8_t transmissions;
};
static_assert(sizeof(LinkRow) == 18);

// packet records of one simulation, in order of time, from the taps and the trace-driven queues.
struct [[gnu::packed]] PacketRecord {
  static constexpr char kind[] = "packets";
  static constexpr char columns[] = "time_ns <i8, event |u1, direction |u1, flow <u2, sequence <i8, size_bytes <u4, transmission <u2, uid <i8, delay_ns <i8";
  static constexpr char descr[] = "[('time_ns', '<i8'), ('event', '|u1'), ('direction', '|u1'), ('flow', '<u2'), ('sequence', '<i8'), ('size_bytes', '<u4'), ('transmission', '<u2'), ('uid', '<i8'), ('delay_ns', '<i8')]";
  static constexpr std::int64_t min_time_ns = 0;
  static constexpr std::int64_t min_delay_ns = 0;
  std::int64_t time_ns;
  std::uint8_t event;
  std::uint8_t direction;
  std::uint16_t flow;
  std::int64_t sequence;
  std::uint32_t size_bytes;
  std::uint16_t transmission;
  std::int64_t uid;
  std::int64_t delay_ns;
};
static_assert(sizeof(PacketRecord) == 42);

// congestion control over time: one row per flow and change.
struct [[gnu::packed]] WindowRecord {
  static constexpr char kind[] = "windows";
  static constexpr char columns[] = "time_ns <i8, flow <u2, cwnd_packets <f8, ssthresh_packets <f8, srtt_ns <i8, state |u1, pacing_bps <f8";
  static constexpr char descr[] = "[('time_ns', '<i8'), ('flow', '<u2'), ('cwnd_packets', '<f8'), ('ssthresh_packets', '<f8'), ('srtt_ns', '<i8'), ('state', '|u1'), ('pacing_bps', '<f8')]";
  static constexpr std::int64_t min_time_ns = 0;
  static constexpr std::int64_t min_srtt_ns = 1;
  std::int64_t time_ns;
  std::uint16_t flow;
  double cwnd_packets;
  double ssthresh_packets;
  std::int64_t srtt_ns;
  std::uint8_t state;
  double pacing_bps;
};
static_assert(sizeof(WindowRecord) == 43);

// series of round-trip times, linear between rows; two rows at one time are a step.
struct [[gnu::packed]] RttRow {
  static constexpr char kind[] = "rtt";
  static constexpr char columns[] = "time_ns <i8, rtt_ns <i8";
  static constexpr char descr[] = "[('time_ns', '<i8'), ('rtt_ns', '<i8')]";
  static constexpr std::int64_t min_time_ns = 0;
  static constexpr std::int64_t max_time_ns = 4611686018427387904;
  static constexpr std::int64_t min_rtt_ns = 0;
  static constexpr std::int64_t max_rtt_ns = 4611686018427387904;
  std::int64_t time_ns;
  std::int64_t rtt_ns;
};
static_assert(sizeof(RttRow) == 16);

// Why a file is refused; {name} stands for a value.
namespace refusal {
inline constexpr char empty_file[] = "the file is empty";
inline constexpr char no_rows[] = "there are no rows; a trace has at least one";
inline constexpr char columns[] = "these are not the columns of a {kind} trace, which are {columns}";
inline constexpr char other_kind[] = "its rows are of kind {found}; a {kind} trace is needed";
inline constexpr char truncated[] = "the file is cut short: its header promises {promised} rows, it holds {held}";
inline constexpr char trailing_bytes[] = "{extra} bytes too many follow the last row";
inline constexpr char not_npy[] = "this is no .npy file: it does not begin as one";
inline constexpr char npy_version[] = "this is a .npy file of version {major}.{minor}; 1.0, 2.0 and 3.0 can be read";
inline constexpr char npy_header[] = "the .npy header is damaged";
inline constexpr char npy_shape[] = "this is not a one-dimensional array of rows";
inline constexpr char below_minimum[] = "{column} is {value}; the least allowed is {minimum}";
inline constexpr char below_minimum_or_null[] = "{column} is {value}; the least allowed is {minimum}, or {null} for no value";
inline constexpr char above_maximum[] = "{column} is {value}; the most allowed is {maximum}";
inline constexpr char not_flag[] = "{column} is {value}; 0 and 1 are allowed";
inline constexpr char repeated[] = "{column} is {value} as in the row before; times must increase";
inline constexpr char not_sorted[] = "{column} is {value}, earlier than {previous} in the row before; times must increase";
inline constexpr char delivered_without_delay[] = "delivered is true but delay_ns has no value; a delivered LLDU has a delay";
}  // namespace refusal

}  // namespace clift::schema
