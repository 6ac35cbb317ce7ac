#include "core/npy.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "core/schema.h"
#include "core/text.h"

namespace clift {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t alignment = 64;
constexpr std::size_t rows_width = 20;  // digits of the largest 64-bit count

std::size_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

// Value of `'key':` in a Python dict literal: up to the comma or brace that ends it, brackets respected.
std::optional<std::string_view> value_of(std::string_view dict, std::string_view key) {
  std::size_t at = dict.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return std::nullopt;
  at = dict.find(':', at + key.size() + 2);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = dict.find_first_not_of(' ', at + 1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t end = begin; end < dict.size(); ++end) {
    const char c = dict[end];
    if (c == '\'') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && (c == ',' || c == '}')) return dict.substr(begin, end - begin);
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
  }
  return std::nullopt;
}

// Number of rows in a shape like `(12,)`; -1 for another number of dimensions; nothing when it is no shape.
std::optional<std::int64_t> rows_of(std::string_view shape) {
  if (shape.size() < 2 || shape.front() != '(' || shape.back() != ')') return std::nullopt;
  shape = shape.substr(1, shape.size() - 2);
  const auto good = [](unsigned char c) { return std::isdigit(c) || c == ',' || c == ' '; };
  if (!std::all_of(shape.begin(), shape.end(), good)) return std::nullopt;
  if (shape.empty() || shape.back() != ',' || std::count(shape.begin(), shape.end(), ',') != 1) return -1;
  std::int64_t rows = 0;
  const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), rows);
  if (error != std::errc() || *end != ',') return std::nullopt;
  return rows;
}

}  // namespace

std::variant<NpyHeader, std::string> parse_npy_header(std::string_view file) {
  using namespace schema;
  if (file.empty()) return refusal::empty_file;
  if (file.substr(0, magic.size()) != magic) return refusal::not_npy;
  if (file.size() < magic.size() + 2) return refusal::npy_header;
  const std::size_t major = byte_at(file, 6), minor = byte_at(file, 7);
  if (major < 1 || major > 3 || minor != 0) {
    return filled(refusal::npy_version, {{"major", std::to_string(major)}, {"minor", std::to_string(minor)}});
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4, text_offset = 8 + length_bytes;
  if (file.size() < text_offset) return refusal::npy_header;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte_at(file, 8 + i) << (8 * i);
  if (file.size() < text_offset + length) return refusal::npy_header;

  const std::string_view dict = file.substr(text_offset, length);
  const auto descr = value_of(dict, "descr"), shape = value_of(dict, "shape");
  if (!descr || !shape || !value_of(dict, "fortran_order")) return refusal::npy_header;
  const auto rows = rows_of(*shape);
  if (!rows) return refusal::npy_header;
  return NpyHeader{std::string(*descr), *rows, text_offset + length};
}

std::string npy_header(std::string_view descr, std::int64_t rows) {
  const std::string count = std::to_string(rows);
  std::string dict = "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': (" + count + ",), }";
  const std::size_t text_offset = magic.size() + 4;
  std::size_t size = text_offset + dict.size() + (rows_width - count.size()) + 1;
  size = (size + alignment - 1) / alignment * alignment;
  dict.append(size - text_offset - dict.size() - 1, ' ');
  dict.push_back('\n');
  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

}  // namespace clift
