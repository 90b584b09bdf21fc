// FlatMap: a hash map from 64-bit keys to small values, open addressing, linear probing, no erase.
//
// Lookups touch one cache line in the common case. Grows at 60% load by doubling, which moves
// values: hold no pointer to a value over an insertion. Memory comes from the resource given. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace redflag {

// Finalizer of SplitMix64: every input bit reaches every output bit.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

template <typename Value>
class FlatMap {
 public:
  explicit FlatMap(std::pmr::memory_resource* memory) : slots_(memory) {}

  Value* find(std::uint64_t key) {
    if (key == kFree) [[unlikely]]
      return has_max_ ? &max_ : nullptr;
    if (slots_.empty()) return nullptr;
    for (std::size_t i = mix_bits(key) & mask();; i = (i + 1) & mask()) {
      if (slots_[i].key == key) return &slots_[i].value;
      if (slots_[i].key == kFree) return nullptr;
    }
  }

  // The value of key, made as Value{} when it is new.
  Value& operator[](std::uint64_t key) {
    if (key == kFree) [[unlikely]] {
      has_max_ = true;
      return max_;
    }
    if ((count_ + 1) * 5 > slots_.size() * 3) grow();
    std::size_t i = mix_bits(key) & mask();
    while (slots_[i].key != key) {
      if (slots_[i].key == kFree) {
        slots_[i].key = key;
        ++count_;
        break;
      }
      i = (i + 1) & mask();
    }
    return slots_[i].value;
  }

  std::size_t size() const { return count_ + (has_max_ ? 1 : 0); }

  template <typename Visitor>  // visitor(key, value&)
  void for_each(Visitor visitor) {
    for (Entry& entry : slots_) {
      if (entry.key != kFree) visitor(entry.key, entry.value);
    }
    if (has_max_) visitor(kFree, max_);
  }
  template <typename Visitor>  // visitor(key, const value&)
  void for_each(Visitor visitor) const {
    for (const Entry& entry : slots_) {
      if (entry.key != kFree) visitor(entry.key, entry.value);
    }
    if (has_max_) visitor(kFree, max_);
  }

  // Keeps only the entries for which keep(key, value&) holds.
  template <typename Predicate>
  void retain(Predicate keep) {
    std::pmr::vector<Entry> old(slots_.get_allocator());
    old.swap(slots_);
    slots_.resize(old.size());
    count_ = 0;
    for (Entry& entry : old) {
      if (entry.key != kFree && keep(entry.key, entry.value)) (*this)[entry.key] = entry.value;
    }
    if (has_max_ && !keep(kFree, max_)) has_max_ = false;
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t key = kFree;
    Value value{};
  };

  std::size_t mask() const { return slots_.size() - 1; }
  void grow() {
    std::pmr::vector<Entry> old(slots_.get_allocator());
    old.swap(slots_);
    slots_.resize(old.empty() ? 16 : old.size() * 2);
    count_ = 0;
    for (Entry& entry : old) {
      if (entry.key != kFree) (*this)[entry.key] = entry.value;
    }
  }

  std::pmr::vector<Entry> slots_;  // a power of two
  std::size_t count_ = 0;          // in slots_
  // The key ~0 marks a free slot, so its own entry lives apart.
  bool has_max_ = false;
  Value max_{};
};

}  // namespace redflag
