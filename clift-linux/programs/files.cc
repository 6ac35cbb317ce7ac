// Files of a run's folder that the simulated machine reads and writes: it has no other way to the host's files.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <string>

#include "core/input_error.h"
#include "host.h"
#include "used_files.h"

namespace {

std::set<std::string>* used_files = nullptr;

class OpenFile {
 public:
  OpenFile(const char* path, int flags) : number_(open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0666)) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Whether a name stays inside the run's folder.
bool is_inside(const std::string& name) {
  return !name.empty() && name.front() != '/' && ("/" + name + "/").find("/../") == std::string::npos;
}

}  // namespace

long clift_read_programs(char* to, unsigned long most, long long offset) {
  const OpenFile file("programs.txt", O_RDONLY);
  if (file.number() < 0) return -errno;
  const ssize_t count = pread(file.number(), to, most, offset);
  return count < 0 ? -errno : count;
}

int clift_add_to_file(const char* name, const void* data, unsigned long bytes) {
  const std::string path = name;
  if (!is_inside(path)) return -EINVAL;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    if (mkdir(path.substr(0, slash).c_str(), 0777) < 0 && errno != EEXIST) return -errno;
  }
  const OpenFile file(name, O_WRONLY | O_CREAT | O_APPEND);
  if (file.number() < 0) return -errno;
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t count = write(file.number(), next, bytes);
    if (count < 0) return -errno;
    next += count;
    bytes -= static_cast<unsigned long>(count);
  }
  return 0;
}

void clift_used(const char* path) {
  if (used_files == nullptr) used_files = new std::set<std::string>;
  while (path[0] == '/' && path[1] == '/') ++path;  // hostfs joins the root and a path by a slash too much
  used_files->insert(path);
}

void clift::write_used_files() {
  std::ofstream file("used.txt");
  if (used_files != nullptr) {
    for (const std::string& path : *used_files) file << path << '\n';
  }
  if (!file.flush()) throw InputError("used.txt", "cannot be written");
}
