// Writes records to a `.npy` file, buffered; the header's row count is set when the file is closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clift {

class RawRecordFile {
 public:
  // Creates the file under a name of its own; throws InputError when that fails.
  RawRecordFile(const std::string& path, const char* descr, std::size_t record_bytes);
  ~RawRecordFile();
  RawRecordFile(const RawRecordFile&) = delete;
  RawRecordFile& operator=(const RawRecordFile&) = delete;

  void append(const void* record);

  // Completes the file and gives it its final name.
  void close();

  std::int64_t rows() const { return rows_; }

 private:
  void flush();
  void write_all(const char* bytes, std::size_t count);
  void check(bool done) const;
  std::string partial_path() const { return path_ + ".partial"; }

  std::string path_;
  std::string descr_;
  std::size_t record_bytes_;
  int descriptor_ = -1;
  bool complete_ = false;  // has its final name
  std::vector<char> buffer_;
  std::int64_t rows_ = 0;
};

// A file of one of the records that schema.h declares.
template <class Record>
class RecordFile {
 public:
  explicit RecordFile(const std::string& path) : file_(path, Record::descr, sizeof(Record)) {}

  void append(const Record& record) { file_.append(&record); }
  void close() { file_.close(); }
  std::int64_t rows() const { return file_.rows(); }

 private:
  RawRecordFile file_;
};

}  // namespace clift
