// Memory for detectors: straight from the kernel, counted, never the program's malloc.
//
// PageResource is a std::pmr memory resource with one free list per size class (powers of two and
// the halves between, 16 bytes to 64 KiB) carved from 2 MiB chunks; larger blocks are mapped by
// themselves. So standard containers work inside a runtime that must not touch the program's heap,
// and the bytes in use are known exactly. Chunks are returned only by the destructor. Not
// thread-safe: each owner locks.
//
// GrowingArray is one array that never moves: address space is reserved without access (which
// strict overcommit does not count) and committed in steps as it grows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "core/base/check.h"

namespace redflag {

// Whole zeroed pages. Without memory the process ends (check.h): a detector that silently lost
// history would lie.
void* map_pages(std::size_t bytes);
void unmap_pages(void* at, std::size_t bytes);
void* reserve_pages(std::size_t bytes);  // no access until committed; begins at a huge page
void commit_pages(void* at, std::size_t bytes);
// Random access over many megabytes spends its time in the TLB: large metadata asks for huge pages.
void advise_huge_pages(void* at, std::size_t bytes);

class PageResource final : public std::pmr::memory_resource {
 public:
  PageResource() = default;
  PageResource(const PageResource&) = delete;
  PageResource& operator=(const PageResource&) = delete;
  ~PageResource() override;

  std::size_t bytes_in_use() const { return in_use_; }  // rounded to size classes
  std::size_t peak_bytes_in_use() const { return peak_; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Chunk {
    Chunk* next;
    std::size_t bytes;
  };
  static constexpr int kClasses = 25;
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
  static constexpr std::size_t kLargest = std::size_t{1} << 16;

  static int class_of(std::size_t bytes);
  static std::size_t class_bytes(int size_class);

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  void count(std::size_t bytes) {
    in_use_ += bytes;
    if (in_use_ > peak_) peak_ = in_use_;
  }

  std::array<FreeBlock*, kClasses> free_{};
  Chunk* chunks_ = nullptr;
  std::size_t chunk_count_ = 0;
  char* fresh_ = nullptr;
  char* fresh_end_ = nullptr;
  std::size_t in_use_ = 0;
  std::size_t peak_ = 0;
};

template <typename T>
class GrowingArray {
 public:
  explicit GrowingArray(std::size_t capacity)
      : data_(static_cast<T*>(reserve_pages(capacity * sizeof(T)))), capacity_(capacity) {}
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  ~GrowingArray() { unmap_pages(data_, capacity_ * sizeof(T)); }

  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  // Elements beyond the old size are zero.
  void grow_to(std::size_t size) {
    if (size <= size_) return;
    if (size > committed_) commit(size);
    size_ = size;
  }

 private:
  static constexpr std::size_t kStepBytes = std::size_t{1} << 16;
  static constexpr std::size_t kLargeBytes = std::size_t{4} << 20;  // from here on in huge pages

  [[gnu::noinline]] void commit(std::size_t size) {
    REDFLAG_CHECK(size <= capacity_);
    // An eighth more than asked: few calls, little committed in vain.
    const std::size_t wanted = std::min(size + size / 8, capacity_) * sizeof(T);
    const std::size_t step = wanted < kLargeBytes ? kStepBytes : kLargeBytes;
    const std::size_t bytes = (wanted + step - 1) / step * step;
    const std::size_t done = committed_ * sizeof(T);
    char* at = reinterpret_cast<char*>(data_) + done;
    commit_pages(at, bytes - done);
    if (done >= kLargeBytes) advise_huge_pages(at, bytes - done);
    committed_ = bytes / sizeof(T);
  }
  static_assert(kStepBytes % sizeof(T) == 0);

  T* data_;
  std::size_t capacity_;
  std::size_t committed_ = 0;
  std::size_t size_ = 0;
};

}  // namespace redflag
