// Memory for the records of OpenMP support, and the lock that guards shared ones.
//
// The program's malloc is out of reach here, so blocks are carved from mapped chunks, one free list
// per power of two from 64 bytes; larger than 1 MiB is mapped by itself. Chunks are never given
// back: the number of records is bounded by the tasks alive at once. Any thread may take and give.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>
#include <utility>

namespace redflag::openmp {

// For a handful of instructions; nothing that can block is done while holding it.
class SpinLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) {
      while (taken_.load(std::memory_order_relaxed)) __builtin_ia32_pause();
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

class Holding {
 public:
  explicit Holding(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Holding() { lock_.unlock(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  SpinLock& lock_;
};

void* take(std::size_t bytes);  // aligned to 64 bytes or its own size; the process ends without it
void give(void* block, std::size_t bytes);

// Bytes, without calling memcpy: that name is the interceptor of the program's calls.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

template <class Record, class... Arguments>
Record* make(Arguments&&... arguments) {
  return new (take(sizeof(Record))) Record{std::forward<Arguments>(arguments)...};
}

// An array that grows; the little of std::vector that is needed. Holds plain values.
template <class Value>
class List {
 public:
  List() = default;
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { reset(); }

  Value* begin() { return data_; }
  Value* end() { return data_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void push(Value value) {
    if (size_ == capacity_) grow();
    data_[size_++] = value;
  }
  void swap(List& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  void reset() {
    if (data_) give(data_, capacity_ * sizeof(Value));
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

 private:
  void grow() {
    const std::size_t capacity = capacity_ ? capacity_ * 2 : 64 / sizeof(Value);
    auto* data = static_cast<Value*>(take(capacity * sizeof(Value)));
    for (std::size_t i = 0; i < size_; ++i) data[i] = data_[i];
    if (data_) give(data_, capacity_ * sizeof(Value));
    data_ = data;
    capacity_ = capacity;
  }

  Value* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace redflag::openmp
