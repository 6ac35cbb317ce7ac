// A link trace as it lies in a `.npy` file, mapped into memory and checked row by row.
#pragma once

#include <cstddef>
#include <string>

#include "core/schema.h"

namespace clift {

using schema::LinkRow;

// Rows of a link trace, in order of first transmission; the memory belongs to somebody else.
struct LinkRows {
  const LinkRow* first = nullptr;
  std::size_t count = 0;

  const LinkRow& operator[](std::size_t i) const { return first[i]; }
};

class LinkTraceFile {
 public:
  // Maps and checks the file; throws InputError with the reason that `tmt` gives for the same defect.
  explicit LinkTraceFile(const std::string& path);
  ~LinkTraceFile();
  LinkTraceFile(const LinkTraceFile&) = delete;
  LinkTraceFile& operator=(const LinkTraceFile&) = delete;

  const std::string& path() const { return path_; }
  LinkRows rows() const { return rows_; }

 private:
  void map();
  void locate_rows();
  void check_rows() const;

  std::string path_;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  LinkRows rows_;
};

}  // namespace clift
