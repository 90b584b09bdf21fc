#include "core/base/memory.h"

#include <sys/mman.h>

#include <bit>

namespace redflag {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

void* map_pages(std::size_t bytes) {
  void* at = ::mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) out_of_memory("metadata");
  return at;
}

void unmap_pages(void* at, std::size_t bytes) {
  REDFLAG_CHECK(::munmap(at, whole_pages(bytes)) == 0);
}

void* reserve_pages(std::size_t bytes) {
  const std::size_t size = whole_pages(bytes);
  void* at = ::mmap(nullptr, size + kHugePage, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) out_of_memory("metadata (address space)");
  // Keep the part that begins at a huge page.
  auto* begin = static_cast<char*>(at);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) & (kHugePage - 1);
  if (before != 0) unmap_pages(begin, before);
  if (before != kHugePage) unmap_pages(begin + before + size, kHugePage - before);
  return begin + before;
}

// Advice only: where huge pages cannot be had, ordinary ones serve.
void advise_huge_pages(void* at, std::size_t bytes) {
  ::madvise(at, bytes, MADV_HUGEPAGE);
}

void commit_pages(void* at, std::size_t bytes) {
  if (::mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0) out_of_memory("metadata");
}

// Classes alternate 2^k and 3 * 2^(k-1): 16, 24, 32, 48, 64, 96, ... 65536.
int PageResource::class_of(std::size_t bytes) {
  if (bytes <= 16) return 0;
  const int log = static_cast<int>(std::bit_width(bytes - 1));  // smallest 2^log that holds it
  const std::size_t between = std::size_t{3} << (log - 2);
  return 2 * (log - 4) - (bytes <= between ? 1 : 0);
}

std::size_t PageResource::class_bytes(int size_class) {
  const int half = size_class / 2;
  return size_class % 2 == 0 ? std::size_t{16} << half : std::size_t{24} << half;
}

PageResource::~PageResource() {
  while (chunks_ != nullptr) {
    Chunk* next = chunks_->next;
    unmap_pages(chunks_, chunks_->bytes);
    chunks_ = next;
  }
}

void* PageResource::do_allocate(std::size_t bytes, std::size_t alignment) {
  REDFLAG_CHECK(alignment <= 16);
  if (bytes > kLargest) {
    count(whole_pages(bytes));
    return map_pages(bytes);
  }
  // The classes between powers of two are multiples of 8 only at the small end: 24 is the one that
  // is not a multiple of 16.
  int size_class = class_of(bytes);
  if (alignment > 8 && size_class == 1) size_class = 2;
  count(class_bytes(size_class));
  if (FreeBlock* block = free_[static_cast<std::size_t>(size_class)]; block != nullptr) {
    free_[static_cast<std::size_t>(size_class)] = block->next;
    return block;
  }
  const std::size_t need = class_bytes(size_class);
  if (static_cast<std::size_t>(fresh_end_ - fresh_) < need + 16) {
    auto* chunk = static_cast<Chunk*>(reserve_pages(kChunkBytes));
    commit_pages(chunk, kChunkBytes);
    // A detector with little metadata should not pay for clearing two megabytes.
    if (++chunk_count_ > 2) advise_huge_pages(chunk, kChunkBytes);
    chunk->next = chunks_;
    chunk->bytes = kChunkBytes;
    chunks_ = chunk;
    fresh_ = reinterpret_cast<char*>(chunk) + 64;
    fresh_end_ = reinterpret_cast<char*>(chunk) + kChunkBytes;
  }
  if (need % 16 == 0) fresh_ += -reinterpret_cast<std::uintptr_t>(fresh_) & 15;
  void* at = fresh_;
  fresh_ += need;
  return at;
}

void PageResource::do_deallocate(void* at, std::size_t bytes, std::size_t alignment) {
  if (bytes > kLargest) {
    in_use_ -= whole_pages(bytes);
    unmap_pages(at, bytes);
    return;
  }
  int size_class = class_of(bytes);
  if (alignment > 8 && size_class == 1) size_class = 2;
  in_use_ -= class_bytes(size_class);
  auto* block = static_cast<FreeBlock*>(at);
  block->next = free_[static_cast<std::size_t>(size_class)];
  free_[static_cast<std::size_t>(size_class)] = block;
}

}  // namespace redflag
