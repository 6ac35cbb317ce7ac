#include "core/record_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/input_error.h"
#include "core/npy.h"

namespace clift {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

}  // namespace

RawRecordFile::RawRecordFile(const std::string& path, const char* descr, std::size_t record_bytes)
    : path_(path), descr_(descr), record_bytes_(record_bytes), descriptor_(open(partial_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  check(descriptor_ >= 0);
  const std::string header = npy_header(descr_, 0);
  buffer_.reserve(buffer_bytes + record_bytes);
  buffer_.assign(header.begin(), header.end());
}

RawRecordFile::~RawRecordFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
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
  check(lseek(descriptor_, 0, SEEK_SET) == 0);
  write_all(header.data(), header.size());
  check(::close(std::exchange(descriptor_, -1)) == 0);
  check(std::rename(partial_path().c_str(), path_.c_str()) == 0);
  complete_ = true;
}

void RawRecordFile::flush() {
  write_all(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void RawRecordFile::write_all(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = write(descriptor_, bytes, count);
    check(written >= 0 || errno == EINTR);
    if (written > 0) {
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
  }
}

void RawRecordFile::check(bool done) const {
  if (!done) throw InputError(path_, std::strerror(errno));
}

}  // namespace clift
