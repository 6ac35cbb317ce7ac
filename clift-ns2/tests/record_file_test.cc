#include "core/record_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "core/input_error.h"
#include "core/npy.h"
#include "core/schema.h"
#include "tests/scratch_folder.h"

namespace clift {
namespace {

using schema::WindowRecord;

WindowRecord record_number(std::int64_t i) {
  return {i * 1000, static_cast<std::uint16_t>(i % 7), static_cast<double>(i) / 3.0, 0.0, 0, 0, 0.0};
}

void write(const std::string& path, std::int64_t rows) {
  RecordFile<WindowRecord> file(path);
  for (std::int64_t i = 0; i < rows; ++i) file.append(record_number(i));
  EXPECT_EQ(file.rows(), rows);
  file.close();
}

TEST(RecordFile, HoldsWhatWasAppended) {
  // 100,000 rows of 18 bytes are more than the buffer's 1 MiB.
  for (const std::int64_t rows : {0, 1, 100'000}) {
    SCOPED_TRACE(rows);
    const ScratchFolder folder;
    const std::string path = folder.file("windows.npy");
    write(path, rows);
    const std::string content = content_of(path);
    const auto header = std::get<NpyHeader>(parse_npy_header(content));
    EXPECT_EQ(header.descr, WindowRecord::descr);
    EXPECT_EQ(header.rows, rows);
    ASSERT_EQ(content.size(), header.data_offset + static_cast<std::size_t>(rows) * sizeof(WindowRecord));
    for (std::int64_t i = 0; i < rows; ++i) {
      const WindowRecord expected = record_number(i);
      const char* record = content.data() + header.data_offset + static_cast<std::size_t>(i) * sizeof(WindowRecord);
      ASSERT_EQ(std::memcmp(record, &expected, sizeof(WindowRecord)), 0) << "row " << i + 1;
    }
  }
}

TEST(RecordFile, LeavesNothingBehindWhenItIsNotClosed) {
  const ScratchFolder folder;
  {
    RecordFile<WindowRecord> file(folder.file("windows.npy"));
    for (std::int64_t i = 0; i < 100'000; ++i) file.append(record_number(i));
    EXPECT_FALSE(folder.empty());
  }
  EXPECT_TRUE(folder.empty());
}

TEST(RecordFile, KeepsTheFileOfThatNameUntilItIsClosed) {
  const ScratchFolder folder;
  const std::string path = folder.file("windows.npy");
  write_file(path, "of an earlier run");
  RecordFile<WindowRecord> file(path);
  file.append(record_number(1));
  EXPECT_EQ(content_of(path), "of an earlier run");
  file.close();
  EXPECT_EQ(std::get<NpyHeader>(parse_npy_header(content_of(path))).rows, 1);
}

TEST(RecordFile, RefusesAFolderThatIsNotThere) {
  const ScratchFolder folder;
  const std::string path = folder.file("absent/windows.npy");
  try {
    write(path, 1);
    FAIL() << "nothing was said";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path + ": No such file or directory");
  }
}

TEST(RecordFile, LeavesNothingBehindWhenItCannotHaveItsName) {
  const ScratchFolder folder;
  const std::string path = folder.file("windows.npy");
  std::filesystem::create_directory(path);
  EXPECT_THROW(write(path, 1), InputError);
  std::filesystem::remove(path);
  EXPECT_TRUE(folder.empty());
}

}  // namespace
}  // namespace clift
