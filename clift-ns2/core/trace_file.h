// A trace in a `.npy` file, mapped into memory and checked row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/schema.h"

namespace clift {

using schema::LinkRow;
using schema::PhyRow;

// Rows of a trace in order of transmission, perhaps each with a size; the memory belongs to the caller.
template <class Row>
class TraceRows {
 public:
  TraceRows() = default;
  TraceRows(const Row* first, std::size_t n) : TraceRows(reinterpret_cast<const char*>(first), n, sizeof(Row)) {}
  TraceRows(const char* first, std::size_t n, std::size_t row_bytes) : count(n), first_(first), row_bytes_(row_bytes) {}

  const Row& operator[](std::size_t i) const { return *reinterpret_cast<const Row*>(first_ + i * row_bytes_); }

  bool have_sizes() const { return row_bytes_ == Row::sized_bytes; }

  // Bytes that row `i` carries, where rows have sizes.
  std::uint32_t size_bytes(std::size_t i) const {
    std::uint32_t size;
    std::memcpy(&size, first_ + i * row_bytes_ + sizeof(Row), sizeof size);
    return size;
  }

  std::size_t count = 0;

 private:
  const char* first_ = nullptr;
  std::size_t row_bytes_ = sizeof(Row);
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
