// The `.npy` form of a table: a header that numpy defines, then packed rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace clift {

struct NpyHeader {
  std::string descr;         // the dtype, as numpy writes it
  std::int64_t rows;         // -1 when the array is not one-dimensional
  std::size_t data_offset;   // bytes before the first row
};

// Returns the header at the start of `file`, or the reason why it cannot be read.
std::variant<NpyHeader, std::string> parse_npy_header(std::string_view file);

// Returns a version 1.0 header for `rows` rows; its length does not depend on `rows`, so that it can be
// written over once their number is known.
std::string npy_header(std::string_view descr, std::int64_t rows);

}  // namespace clift
