#include "frontends/cpu/openmp/pool.h"

#include <sys/mman.h>

#include <cstdint>

#include "frontends/cpu/rt/runtime.h"

namespace redflag::openmp {

namespace {

constexpr std::size_t kSmallest = 64;
constexpr int kClasses = 15;  // 64 bytes to 1 MiB
constexpr std::size_t kLargest = kSmallest << (kClasses - 1);
constexpr std::size_t kChunk = std::size_t{1} << 20;
static_assert(kChunk >= kLargest);

struct Free {
  Free* next;
};

struct SizeClass {
  SpinLock lock;
  Free* free = nullptr;
  char* fresh = nullptr;  // the rest of the newest chunk
  char* fresh_end = nullptr;
};
constinit SizeClass classes[kClasses];

int class_of(std::size_t bytes) {
  int result = 0;
  while ((kSmallest << result) < bytes) ++result;
  return result;
}

char* map(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    rt::say(
        "OpenMP support needs a little memory and the kernel gave none; raise the limit "
        "(ulimit -v) or run fewer tasks at once");
    __builtin_trap();
  }
  return static_cast<char*>(at);
}

}  // namespace

void* take(std::size_t bytes) {
  if (bytes > kLargest) return map(bytes);
  const int index = class_of(bytes);
  const std::size_t size = kSmallest << index;
  SizeClass& from = classes[index];
  Holding holding(from.lock);
  if (Free* block = from.free) {
    from.free = block->next;
    return block;
  }
  if (from.fresh == from.fresh_end) {
    from.fresh = map(kChunk);
    from.fresh_end = from.fresh + kChunk;
  }
  void* block = from.fresh;
  from.fresh += size;
  return block;
}

void give(void* block, std::size_t bytes) {
  if (bytes > kLargest) {
    munmap(block, bytes);
    return;
  }
  SizeClass& to = classes[class_of(bytes)];
  Holding holding(to.lock);
  to.free = new (block) Free{to.free};
}

}  // namespace redflag::openmp
