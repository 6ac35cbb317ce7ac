// Preloaded, it takes the place of the library's operators and counts at exit the arrays that were freed, rightly by
// delete[] and wrongly by delete. malloc's own memory is no witness: both operators free it alike.

#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::size_t kHeader = 16;  // keeps the alignment of memory from malloc
constexpr char kSingle = 's', kArray = 'a';
long rightly, wrongly;

void *allocate(std::size_t size, char kind) {
  char *memory = static_cast<char *>(std::malloc(size + kHeader));
  if (memory == nullptr) std::abort();
  *memory = kind;
  return memory + kHeader;
}

void release(void *object, char kind) {
  if (object == nullptr) return;
  char *memory = static_cast<char *>(object) - kHeader;
  if (*memory == kArray) ++(kind == kArray ? rightly : wrongly);
  std::free(memory);
}

__attribute__((destructor)) void report() { std::printf("arrays freed: %ld rightly, %ld wrongly\n", rightly, wrongly); }

}  // namespace

void *operator new(std::size_t size) { return allocate(size, kSingle); }
void *operator new[](std::size_t size) { return allocate(size, kArray); }
void operator delete(void *object) noexcept { release(object, kSingle); }
void operator delete(void *object, std::size_t) noexcept { release(object, kSingle); }
void operator delete[](void *object) noexcept { release(object, kArray); }
void operator delete[](void *object, std::size_t) noexcept { release(object, kArray); }
