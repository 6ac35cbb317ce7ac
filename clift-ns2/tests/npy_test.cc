#include "core/npy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "core/schema.h"

namespace clift {
namespace {

constexpr std::string_view descr = "[('time_ns', '<i8'), ('flow', '<u2')]";

// A version 1.0 file that holds nothing but a header with this dictionary.
std::string file_with(const std::string& dict) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += {static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return file + dict;
}

NpyHeader read(const std::string& file) {
  const auto parsed = parse_npy_header(file);
  const auto* reason = std::get_if<std::string>(&parsed);
  EXPECT_EQ(reason, nullptr) << *reason;
  return reason == nullptr ? std::get<NpyHeader>(parsed) : NpyHeader{};
}

std::string header_refusal(const std::string& file) {
  const auto parsed = parse_npy_header(file);
  const auto* reason = std::get_if<std::string>(&parsed);
  return reason == nullptr ? "accepted" : *reason;
}

// numpy.save(file, numpy.zeros(3, "<i8,<u2")) begins so: 10 bytes before the dictionary, spaces and a line feed
// up to a multiple of 64.
TEST(NpyHeader, IsWrittenAsNumpyWritesIt) {
  const std::string header = npy_header("[('f0', '<i8'), ('f1', '<u2')]", 3);
  const std::string dict = "{'descr': [('f0', '<i8'), ('f1', '<u2')], 'fortran_order': False, 'shape': (3,), }";
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(static_cast<unsigned char>(header[8]) + 256 * static_cast<unsigned char>(header[9]),
            static_cast<int>(header.size()) - 10);
  EXPECT_EQ(header.substr(10, dict.size()), dict);
  EXPECT_EQ(header.find_first_not_of(' ', 10 + dict.size()), header.size() - 1);
  EXPECT_EQ(header.back(), '\n');
}

TEST(NpyHeader, IsReadAsItWasWritten) {
  for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{1}, std::numeric_limits<std::int64_t>::max()}) {
    const std::string file = npy_header(descr, rows);
    const NpyHeader header = read(file + "rows");
    EXPECT_EQ(header.descr, descr);
    EXPECT_EQ(header.rows, rows);
    EXPECT_EQ(header.data_offset, file.size());
  }
}

TEST(NpyHeader, HasOneLengthForEveryNumberOfRows) {
  // Descriptions of all lengths modulo 64, so that the padding is once nothing and once nearly a whole line.
  for (std::size_t length = 0; length < 64; ++length) {
    const std::string any(length, 'x');
    EXPECT_EQ(npy_header(any, 0).size(), npy_header(any, std::numeric_limits<std::int64_t>::max()).size());
  }
}

TEST(NpyHeader, DoesNotDependOnTheOrderOfItsKeys) {
  const std::string dict = "{'shape': (12,), 'fortran_order': False, 'descr': [('a', '<i8'), ('b', '|u1')]}\n";
  const NpyHeader header = read(file_with(dict));
  EXPECT_EQ(header.descr, "[('a', '<i8'), ('b', '|u1')]");
  EXPECT_EQ(header.rows, 12);
  EXPECT_EQ(header.data_offset, 10 + dict.size());
}

TEST(NpyHeader, SaysWhenThereIsNotOneDimension) {
  for (const char* shape : {"()", "(2, 3)", "(2, 3,)", "(5)"}) {
    const std::string dict = "{'descr': '<i8', 'fortran_order': False, 'shape': " + std::string(shape) + "}";
    EXPECT_EQ(read(file_with(dict)).rows, -1) << shape;
  }
}

TEST(NpyHeader, IsRefusedWhenAnyPartOfItIsMissing) {
  const std::string file = npy_header(descr, 7);
  EXPECT_EQ(header_refusal(""), schema::refusal::empty_file);
  for (std::size_t held = 1; held < file.size(); ++held) {
    const char* reason = held < 6 ? schema::refusal::not_npy : schema::refusal::npy_header;
    EXPECT_EQ(header_refusal(file.substr(0, held)), reason) << held << " bytes";
  }
}

TEST(NpyHeader, IsRefusedWhenItsDictionaryIsDamaged) {
  for (const char* dict :
       {"", "{}", "{'descr'", "{'descr':", "{'descr': [('a', '<i8')", "{'descr': '<i8', 'fortran_order': False}",
        "{'descr': '<i8', 'shape': (3,)}", "{'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (x,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (9223372036854775808,)}"}) {
    EXPECT_EQ(header_refusal(file_with(dict)), schema::refusal::npy_header) << dict;
  }
}

}  // namespace
}  // namespace clift
