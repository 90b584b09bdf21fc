// Memory of a layer's own: what its containers allocate does not come from the program's malloc.
//
// The program's malloc may be libredflag's, which follows every block, and may be called where the
// program could not call it. A layer is a library with everything it needs inside (its C++ library,
// too), so these replace operator new and delete for itself alone; they are hidden from the program.
//
// Blocks of a few sizes in each power of two are cut from pieces of a megabyte and never given back to
// the system; larger ones are mapped one by one, and some of those that were given back are kept for the
// next batch: new pages cost more than what is put into them. A word before each block says which it is.
#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include "frontends/pgas/track/runtime.h"

namespace {

using redflag::pgas::QuietLock;

constexpr std::size_t kHead = 16;  // keeps blocks aligned
constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kLargest = std::size_t{1} << 16;      // of what is cut
constexpr std::size_t kLargestKept = std::size_t{1} << 24;  // of what is mapped
constexpr std::size_t kMostKept = std::size_t{1} << 25;     // of that, together
constexpr std::size_t kClasses = 80;

// Four in each power of two, from 32 bytes on.
constexpr std::size_t class_of(std::size_t bytes) {
  if (bytes <= 32) return 0;
  const auto power = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 1;  // 2^power < bytes
  return (power - 5) * 4 + (((bytes - 1) >> (power - 2)) & 3U) + 1;
}
constexpr std::size_t size_of(std::size_t of) {
  if (of == 0) return 32;
  const std::size_t power = (of - 1) / 4 + 5;
  return (std::size_t{1} << power) + ((of - 1) % 4 + 1) * (std::size_t{1} << (power - 2));
}
static_assert(class_of(33) == 1 && size_of(1) == 40 && size_of(class_of(64)) == 64);
static_assert(size_of(class_of(kLargest)) == kLargest);
static_assert(size_of(class_of(kLargestKept)) == kLargestKept && class_of(kLargestKept) < kClasses);

struct Free {
  Free* next;
};

struct Heap {
  QuietLock lock;
  std::array<Free*, kClasses> free{};
  std::byte* next = nullptr;  // what of a piece is not cut yet
  std::byte* end = nullptr;
  std::size_t kept = 0;  // bytes of free blocks that were mapped
};
constinit Heap g_heap;

void* map(std::size_t bytes) {
  void* const p =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) std::abort();  // nothing of the job could be followed any more
  return p;
}

void* with_head(void* block, std::size_t head) {
  *static_cast<std::size_t*>(block) = head;
  return static_cast<std::byte*>(block) + kHead;
}

void* take(std::size_t wanted) {
  const std::size_t bytes = wanted + kHead;
  if (bytes > kLargestKept) return with_head(map(bytes), bytes);
  const std::size_t of = class_of(bytes);
  const std::lock_guard guard(g_heap.lock);
  if (Free* const first = g_heap.free[of]; first != nullptr) {
    g_heap.free[of] = first->next;
    if (bytes > kLargest) g_heap.kept -= size_of(of);
    return with_head(first, of);
  }
  if (bytes > kLargest) return with_head(map(size_of(of)), of);
  const std::size_t size = (size_of(of) + kHead - 1) / kHead * kHead;
  if (static_cast<std::size_t>(g_heap.end - g_heap.next) < size) {
    g_heap.next = static_cast<std::byte*>(map(kPiece));
    g_heap.end = g_heap.next + kPiece;
  }
  void* const block = g_heap.next;
  g_heap.next += size;
  return with_head(block, of);
}

void give(void* p) {
  if (p == nullptr) return;
  void* const block = static_cast<std::byte*>(p) - kHead;
  const std::size_t head = *static_cast<std::size_t*>(block);
  if (head > kLargestKept) {
    ::munmap(block, head);
    return;
  }
  const std::lock_guard guard(g_heap.lock);
  if (head > class_of(kLargest)) {
    if (g_heap.kept + size_of(head) > kMostKept) {
      ::munmap(block, size_of(head));
      return;
    }
    g_heap.kept += size_of(head);
  }
  g_heap.free[head] = new (block) Free{g_heap.free[head]};
}

}  // namespace

void* operator new(std::size_t size) {
  return take(size);
}
void operator delete(void* p) noexcept {
  give(p);
}
void operator delete(void* p, std::size_t) noexcept {
  give(p);
}
