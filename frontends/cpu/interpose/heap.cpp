#include "frontends/cpu/interpose/heap.h"

#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

// An address of 47 bits: 12 for the top, 11 for the middle, 24 for the place in a leaf.
constexpr unsigned kLeafBits = 24;
constexpr unsigned kMiddleBits = 11;
constexpr unsigned kTopBits = 12;
constexpr std::size_t kLeafSpan = std::size_t{1} << kLeafBits;
constexpr std::size_t kWordSpan = 64 * kGrain;
constexpr std::size_t kWords = kLeafSpan / kWordSpan;

struct Leaf {
  std::uint64_t words[kWords];
};
struct Middle {
  Leaf* leaves[1u << kMiddleBits];
};
static_assert(sizeof(Leaf) == std::size_t{128} << 10 && kTopBits + kMiddleBits + kLeafBits == 47);

Middle* top[1u << kTopBits];

template <class T>
T* load(T** place) {
  return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

// What stands at the place, made if there is none yet; two makers agree on the first one.
template <class T>
T* load_or_make(T** place) {
  T* p = load(place);
  if (REDFLAG_LIKELY(p != nullptr)) return p;
  auto* const fresh = static_cast<T*>(map_pages(sizeof(T)));
  if (fresh == nullptr) return nullptr;
  if (__atomic_compare_exchange_n(place, &p, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return fresh;
  }
  unmap_pages(fresh, sizeof(T));
  return p;
}

Leaf* leaf_of(std::uintptr_t a) {
  if (a >> 47 != 0) return nullptr;
  Middle* const m = load(&top[a >> (kMiddleBits + kLeafBits)]);
  return m == nullptr ? nullptr : load(&m->leaves[(a >> kLeafBits) % (1u << kMiddleBits)]);
}

std::size_t word_of(std::uintptr_t a) {
  return a % kLeafSpan / kWordSpan;
}
std::uint64_t bit_of(std::uintptr_t a) {
  return 1ull << (a / kGrain % 64);
}

// The nearest mark at or below the address; 0: none.
std::uintptr_t mark_before(std::uintptr_t a) {
  if (a >> 47 != 0) return 0;
  std::uint64_t mask = bit_of(a) | (bit_of(a) - 1);
  for (;;) {
    if (const Leaf* const leaf = leaf_of(a)) {
      const std::uintptr_t base = a & ~(kLeafSpan - 1);
      for (std::size_t w = word_of(a) + 1; w-- > 0;) {
        const std::uint64_t bits = __atomic_load_n(&leaf->words[w], __ATOMIC_RELAXED) & mask;
        if (bits != 0) return base + w * kWordSpan + (63 - __builtin_clzll(bits)) * kGrain;
        mask = ~0ull;
      }
    }
    mask = ~0ull;
    // Over a whole leaf, or over all that a missing middle table would have.
    const std::size_t step = load(&top[a >> (kMiddleBits + kLeafBits)]) == nullptr
                                 ? kLeafSpan << kMiddleBits
                                 : kLeafSpan;
    a &= ~(step - 1);
    if (a == 0) return 0;
    a -= 1;
  }
}

// Reads memory that another thread may be unmapping just now.
bool copy_if_mapped(void* to, const void* from, std::size_t n) {
  iovec mine{to, n};
  iovec theirs{const_cast<void*>(from), n};
  const int saved = errno;
  const ssize_t got = process_vm_readv(getpid(), &mine, 1, &theirs, 1, 0);
  const bool forbidden = got < 0 && errno != EFAULT;
  errno = saved;
  if (forbidden) {  // some sandboxes: then the small window is taken
    copy_bytes(to, from, n);
    return true;
  }
  return got == static_cast<ssize_t>(n);
}

// Freed blocks. Each shard is a ring; writers of one shard take turns by its counter. `begin` is 0
// while an entry is being written, so a reader that finds it the same before and after has it whole.
// Ages compare entries of different shards; they advance once in a few frees, since a clock or a
// counter shared by all threads would cost more than the rest.
struct Freed {
  std::uintptr_t begin;
  std::uint64_t age;
  std::uint64_t size;
  std::uint32_t stack;
  std::uint32_t thread;
  std::uint32_t free_stack;
  std::uint32_t free_thread;
};
constexpr unsigned kShards = 16;
constexpr unsigned kFreedPerShard = 64;
struct alignas(64) Shard {
  std::uint32_t next;
  Freed at[kFreedPerShard];
};
Shard shards[kShards];
constexpr std::uint32_t kFreesPerAge = 8;
alignas(64) std::uint64_t age_now = 1;

}  // namespace

bool mark_block(const void* block) {
  const auto a = reinterpret_cast<std::uintptr_t>(block);
  if (REDFLAG_UNLIKELY(a >> 47 != 0)) return false;
  Middle* const m = load_or_make(&top[a >> (kMiddleBits + kLeafBits)]);
  if (m == nullptr) return false;
  Leaf* const leaf = load_or_make(&m->leaves[(a >> kLeafBits) % (1u << kMiddleBits)]);
  if (leaf == nullptr) return false;
  __atomic_fetch_or(&leaf->words[word_of(a)], bit_of(a), __ATOMIC_RELEASE);
  return true;
}

bool is_block(const void* block) {
  const auto a = reinterpret_cast<std::uintptr_t>(block);
  const Leaf* const leaf = a % kGrain == 0 ? leaf_of(a) : nullptr;
  return leaf != nullptr &&
         (__atomic_load_n(&leaf->words[word_of(a)], __ATOMIC_ACQUIRE) & bit_of(a)) != 0;
}

bool unmark_block(const void* block) {
  if (!is_block(block)) return false;
  const auto a = reinterpret_cast<std::uintptr_t>(block);
  const std::uint64_t was =
      __atomic_fetch_and(&leaf_of(a)->words[word_of(a)], ~bit_of(a), __ATOMIC_ACQ_REL);
  return (was & bit_of(a)) != 0;
}

void remember_freed(rt::Thread& t, void* block) {
  const Header h = header_of(block);
  const std::uint32_t me = rt::number(t);
  Shard& shard = shards[me % kShards];
  const std::uint32_t turn = __atomic_fetch_add(&shard.next, 1, __ATOMIC_RELAXED);
  if (turn % kFreesPerAge == 0) __atomic_fetch_add(&age_now, 1, __ATOMIC_RELAXED);
  Freed& f = shard.at[turn % kFreedPerShard];
  __atomic_store_n(&f.begin, 0, __ATOMIC_RELEASE);
  f.age = __atomic_load_n(&age_now, __ATOMIC_RELAXED);
  f.size = h.size;
  f.stack = h.stack;
  f.thread = h.thread;
  f.free_stack = rt::where(t);
  f.free_thread = me;
  __atomic_store_n(&f.begin, reinterpret_cast<std::uintptr_t>(block), __ATOMIC_RELEASE);
}

}  // namespace redflag::interpose

namespace redflag::rt {

bool find_heap_block(std::uintptr_t address, HeapBlock& block) {
  using namespace interpose;
  if (const std::uintptr_t begin = mark_before(address)) {
    Header h;
    if (copy_if_mapped(&h, reinterpret_cast<const Header*>(begin) - 1, sizeof h) &&
        is_block(reinterpret_cast<const void*>(begin)) &&
        (address < begin + h.size || address == begin)) {
      block = {.begin = begin, .size = h.size, .stack = h.stack, .thread = h.thread};
      return true;
    }
  }
  std::uint64_t latest = 0;
  for (const Shard& shard : shards) {
    for (const Freed& f : shard.at) {
      const std::uintptr_t begin = __atomic_load_n(&f.begin, __ATOMIC_ACQUIRE);
      if (begin == 0 || address < begin || f.age < latest) continue;
      const Freed copy = f;
      if (address - begin >= copy.size && address != begin) continue;
      if (__atomic_load_n(&f.begin, __ATOMIC_ACQUIRE) != begin) continue;
      latest = copy.age;
      block = {begin, copy.size, copy.stack, copy.thread, true, copy.free_stack, copy.free_thread};
    }
  }
  return latest != 0;
}

}  // namespace redflag::rt
