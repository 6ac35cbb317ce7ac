// Fetches what a loop over memory will read, ahead of time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clift {

// Fetches what lies so many bytes behind an item, if anything does. (Keep inline: gcc drops out-of-line prefetches.)
inline void prefetch(const void* item, std::size_t bytes) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(item) + bytes));
}

}  // namespace clift
