// A view of bytes that somebody else holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clift {

struct ByteView {
  ByteView(const std::uint8_t* begin, std::size_t count) : data(begin), size(count) {}
  ByteView(const std::vector<std::uint8_t>& bytes) : data(bytes.data()), size(bytes.size()) {}  // NOLINT: implicit

  const std::uint8_t* data;
  std::size_t size;
};

}  // namespace clift
