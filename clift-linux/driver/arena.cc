// Memory of the driver's part outside the simulated kernel, which runs on the kernel's thread: it comes from the host,
// never from the simulated machine.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

// Timers must not call the kernel's allocator, and the kernel's memory is small: every object lives in the host's
// memory. Freed blocks are kept by size, in powers of two.
namespace {

class Arena {
 public:
  void* take(std::size_t bytes) {
    const std::size_t kind = kind_of(bytes);
    if (Free* block = free_[kind]) {
      free_[kind] = block->next;
      return block;
    }
    const std::size_t size = std::size_t{1} << kind;
    if (size > left_) grow(size);
    void* block = next_;
    next_ += size;
    left_ -= size;
    return block;
  }

  void give(void* block, std::size_t bytes) {
    const std::size_t kind = kind_of(bytes);
    free_[kind] = new (block) Free{free_[kind]};
  }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t least_kind = 4, chunk_bytes = std::size_t{1} << 20;

  static std::size_t kind_of(std::size_t bytes) {
    std::size_t kind = least_kind;
    while ((std::size_t{1} << kind) < bytes) ++kind;
    return kind;
  }

  void grow(std::size_t least) {
    left_ = std::max(least, chunk_bytes);
    void* chunk = mmap(nullptr, left_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED) std::abort();
    next_ = static_cast<char*>(chunk);
  }

  std::array<Free*, 64> free_{};
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

Arena arena;
constexpr std::size_t block_header_bytes = 16;  // holds the block's size, and keeps the alignment

}  // namespace

void* operator new(std::size_t bytes) {
  char* block = static_cast<char*>(arena.take(bytes + block_header_bytes));
  std::memcpy(block, &bytes, sizeof bytes);
  return block + block_header_bytes;
}

void operator delete(void* object) noexcept {
  if (object == nullptr) return;
  char* block = static_cast<char*>(object) - block_header_bytes;
  std::size_t bytes;
  std::memcpy(&bytes, block, sizeof bytes);
  arena.give(block, bytes + block_header_bytes);
}

void operator delete(void* object, std::size_t) noexcept { operator delete(object); }
