// A trace as it lies in a `.npy` file, mapped into memory and checked row by row.
#pragma once

#include <cstddef>
#include <string>

#include "core/schema.h"

namespace clift {

using schema::LinkRow;
using schema::PhyRow;

// Rows of a trace in order of transmission; the memory belongs to somebody else.
template <class Row>
struct TraceRows {
  const Row* first = nullptr;
  std::size_t count = 0;

  const Row& operator[](std::size_t i) const { return first[i]; }
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
