#include "core/record_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/input_error.h"
#include "core/npy.h"

namespace clift {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

}  // namespace

RawRecordFile::RawRecordFile(const std::string& path, const char* descr, std::size_t record_bytes)
    : path_(path), descr_(descr), record_bytes_(record_bytes), file_(std::fopen(partial_path().c_str(), "wb")) {
  check(file_ != nullptr);
  const std::string header = npy_header(descr_, 0);
  buffer_.reserve(buffer_bytes + record_bytes);
  buffer_.assign(header.begin(), header.end());
}

RawRecordFile::~RawRecordFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!complete_) std::remove(partial_path().c_str());
}

void RawRecordFile::append(const void* record) {
  const char* bytes = static_cast<const char*>(record);
  buffer_.insert(buffer_.end(), bytes, bytes + record_bytes_);
  ++rows_;
  if (buffer_.size() >= buffer_bytes) flush();
}

void RawRecordFile::close() {
  flush();
  const std::string header = npy_header(descr_, rows_);
  check(std::fseek(file_, 0, SEEK_SET) == 0);
  check(std::fwrite(header.data(), 1, header.size(), file_) == header.size());
  check(std::fclose(std::exchange(file_, nullptr)) == 0);
  check(std::rename(partial_path().c_str(), path_.c_str()) == 0);
  complete_ = true;
}

void RawRecordFile::flush() {
  check(std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size());
  buffer_.clear();
}

void RawRecordFile::check(bool done) const {
  if (!done) throw InputError(path_, std::strerror(errno));
}

}  // namespace clift
