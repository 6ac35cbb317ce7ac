// A trace in a `.npy` file, mapped into memory and checked row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "core/schema.h"

namespace clift {

using schema::LinkRow;
using schema::PhyRow;

// Rows of a trace in order of transmission, perhaps with optional columns; the memory belongs to the caller.
template <class Row>
class TraceRows {
 public:
  TraceRows() = default;
  TraceRows(const Row* first, std::size_t n)
      : TraceRows(reinterpret_cast<const char*>(first), n, std::end(Row::forms)[-1]) {}
  TraceRows(const char* first, std::size_t n, const schema::RowForm& form) : count(n), first_(first), form_(form) {}

  const Row& operator[](std::size_t i) const { return *reinterpret_cast<const Row*>(first_ + i * form_.bytes); }

  std::size_t row_bytes() const { return form_.bytes; }

  std::int64_t last_tx_ns() const { return (*this)[count - 1].tx_time_ns; }

  bool have_sizes() const { return form_.size_bytes_at > 0; }
  bool have_es_n0() const { return form_.es_n0_mdb_at > 0; }
  bool have_modes() const { return form_.mode_at > 0; }

  // Bytes that row `i` carries, where rows have sizes.
  std::uint32_t size_bytes(std::size_t i) const { return value<std::uint32_t>(i, form_.size_bytes_at); }

  // Es/N0 of row `i` in thousandths of a dB, where rows have it.
  std::int32_t es_n0_mdb(std::size_t i) const { return value<std::int32_t>(i, form_.es_n0_mdb_at); }

  // Row of the table of modes that row `i` was sent with, where rows have modes.
  std::uint8_t mode(std::size_t i) const { return value<std::uint8_t>(i, form_.mode_at); }

  std::size_t count = 0;

 private:
  template <class Value>
  Value value(std::size_t i, std::size_t place) const {
    Value found;
    std::memcpy(&found, first_ + i * form_.bytes + place, sizeof found);
    return found;
  }

  const char* first_ = nullptr;
  schema::RowForm form_ = std::end(Row::forms)[-1];
};

using LinkRows = TraceRows<LinkRow>;
using PhyRows = TraceRows<PhyRow>;

// Of LinkRow or PhyRow.
template <class Row>
class TraceFile {
 public:
  // Maps and checks the file; throws InputError with the reason that `tmt` gives for the same defect.
  explicit TraceFile(const std::string& path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  const std::string& path() const { return path_; }
  TraceRows<Row> rows() const { return rows_; }

 private:
  void map();
  void locate_rows();
  void check_rows() const;

  std::string path_;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  TraceRows<Row> rows_;
};

using LinkTraceFile = TraceFile<LinkRow>;
using PhyTraceFile = TraceFile<PhyRow>;

}  // namespace clift
