// <sanitizer/allocator_interface.h>: what the program may ask of its heap.
//
// Blocks are known one by one. Sums are glibc's, whose allocator lies under ours: they include what
// the program did not allocate itself, and nothing of an allocator that the program brings.
#include <malloc.h>

#include "frontends/cpu/interpose/heap.h"
#include "frontends/cpu/interpose/intercept.h"

#define REDFLAG_ALLOCATOR(type, name) \
  extern "C" __attribute__((weak, visibility("default"))) type name

namespace redflag::interpose {
namespace {

// The block that begins at, or holds, this address and is not freed.
bool find_live(const volatile void* p, rt::HeapBlock& block) {
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  return rt::find_heap_block(at, block) && !block.freed;
}

bool begins_live(const volatile void* p, rt::HeapBlock& block) {
  return find_live(p, block) && block.begin == reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace
}  // namespace redflag::interpose

using redflag::interpose::begins_live;
using redflag::interpose::find_live;
using redflag::rt::HeapBlock;

REDFLAG_ALLOCATOR(std::size_t, __sanitizer_get_estimated_allocated_size)(std::size_t size) {
  return size;
}
REDFLAG_ALLOCATOR(int, __sanitizer_get_ownership)(const volatile void* p) {
  HeapBlock block;
  return begins_live(p, block) ? 1 : 0;
}
REDFLAG_ALLOCATOR(std::size_t, __sanitizer_get_allocated_size)(const volatile void* p) {
  HeapBlock block;
  return begins_live(p, block) ? block.size : 0;
}
REDFLAG_ALLOCATOR(std::size_t, __sanitizer_get_allocated_size_fast)(const volatile void* p) {
  return __sanitizer_get_allocated_size(p);
}
REDFLAG_ALLOCATOR(const void*, __sanitizer_get_allocated_begin)(const void* p) {
  HeapBlock block;
  return find_live(p, block) ? reinterpret_cast<const void*>(block.begin) : nullptr;
}
REDFLAG_ALLOCATOR(std::size_t, __sanitizer_get_current_allocated_bytes)() {
  const struct mallinfo2 sums = mallinfo2();
  return sums.uordblks + sums.hblkhd;
}
REDFLAG_ALLOCATOR(std::size_t, __sanitizer_get_heap_size)() {
  const struct mallinfo2 sums = mallinfo2();
  return sums.arena + sums.hblkhd;
}
REDFLAG_ALLOCATOR(std::size_t, __sanitizer_get_free_bytes)() {
  return mallinfo2().fordblks;
}
REDFLAG_ALLOCATOR(std::size_t, __sanitizer_get_unmapped_bytes)() {
  return 0;
}
REDFLAG_ALLOCATOR(void, __sanitizer_purge_allocator)() {
  malloc_trim(0);
}
