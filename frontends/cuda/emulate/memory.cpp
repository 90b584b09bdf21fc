#include "frontends/cuda/emulate/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace redflag::cuda {
namespace {

constexpr std::uint64_t kOwnMapping = std::uint64_t{1} << 20;  // larger ones are mapped
constexpr std::uint64_t kMostQuarantined = std::uint64_t{64} << 20;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kGap = kPage;  // between mappings, so that no overrun lands in a neighbour

template <typename Map>
Interval containing(const Map& map, std::uint64_t address) {
  auto at = map.upper_bound(address);
  if (at == map.begin()) return {};
  --at;
  if (address >= at->second.end) return {};
  return {at->first, at->second.end};
}

}  // namespace

GlobalMemory::~GlobalMemory() {
  for (const auto& [begin, block] : live_) release(begin, block);
  for (const auto& [begin, block] : freed_) release(begin, block);
}

void GlobalMemory::release(std::uint64_t begin, const Block& block) {
  (void)begin;
  if (block.start == nullptr) return;
  if (block.mapped != 0) {
    ::munmap(block.start, block.mapped);
  } else {
    std::free(block.start);
  }
}

Result<std::uint64_t> GlobalMemory::allocate(std::uint64_t bytes, std::uint64_t align) {
  const std::scoped_lock lock(mutex_);
  if (align < 16) align = 16;
  if (bytes > limit_ || used_ > limit_ - bytes) {
    return fail("device memory: needed " + std::to_string(bytes) + " bytes, but only " +
                std::to_string(limit_ - used_) + " of " + std::to_string(limit_) +
                " are free; allocate less, or give the emulated device more memory");
  }
  Block block;
  const std::uint64_t room = (bytes == 0 ? 1 : bytes) + align;
  if (room >= kOwnMapping || align >= kPage) {
    block.mapped = (room + kGap + 4095) / 4096 * 4096;
    void* const at = ::mmap(nullptr, block.mapped, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
      return fail("device memory: this machine has no " + std::to_string(bytes) +
                  " bytes free; allocate less");
    }
    block.start = at;
  } else {
    block.start = std::calloc(1, room);
    if (block.start == nullptr) return fail("device memory: this machine has no free memory");
  }
  const auto start = reinterpret_cast<std::uint64_t>(block.start);
  const std::uint64_t begin = (start + align - 1) / align * align;
  block.end = begin + bytes;
  used_ += bytes;
  live_[begin] = block;
  generation_.fetch_add(1, std::memory_order_relaxed);
  return begin;
}

Result<void> GlobalMemory::free(std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  const auto at = live_.find(address);
  if (at == live_.end() || at->second.start == nullptr) {
    const bool twice = freed_.contains(address);
    return fail("device memory: freeing needs the address of an allocation, found " +
                std::to_string(address) + (twice ? ", which was freed before" : ""));
  }
  Block block = at->second;
  const std::uint64_t bytes = block.end - address;
  used_ -= bytes;
  live_.erase(at);
  if (block.mapped != 0) {  // the addresses stay ours, the memory goes back
    ::madvise(block.start, block.mapped, MADV_DONTNEED);
    quarantined_ += 4096;
  } else {
    quarantined_ += bytes;
  }
  freed_[address] = block;
  quarantine_.push_back(address);
  while (quarantined_ > kMostQuarantined && !quarantine_.empty()) {
    const auto oldest = freed_.find(quarantine_.front());
    quarantine_.pop_front();
    if (oldest == freed_.end()) continue;
    quarantined_ -= oldest->second.mapped != 0 ? 4096 : oldest->second.end - oldest->first;
    release(oldest->first, oldest->second);
    freed_.erase(oldest);
  }
  generation_.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void GlobalMemory::adopt(std::uint64_t address, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  live_[address] = {.end = address + bytes, .mapped = 0, .start = nullptr};
  generation_.fetch_add(1, std::memory_order_relaxed);
}

void GlobalMemory::disown(std::uint64_t address) {
  const std::scoped_lock lock(mutex_);
  const auto at = live_.find(address);
  if (at != live_.end() && at->second.start == nullptr) live_.erase(at);
  generation_.fetch_add(1, std::memory_order_relaxed);
}

Interval GlobalMemory::find(std::uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  return containing(live_, address);
}

Interval GlobalMemory::find_freed(std::uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  return containing(freed_, address);
}

Interval GlobalMemory::nearest(std::uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  auto after = live_.upper_bound(address);
  Interval best;
  std::uint64_t distance = ~std::uint64_t{0};
  if (after != live_.end()) {
    best = {after->first, after->second.end};
    distance = after->first - address;
  }
  if (after != live_.begin()) {
    --after;
    if (address - after->second.end < distance) best = {after->first, after->second.end};
  }
  return best;
}

std::uint64_t GlobalMemory::used() const {
  const std::scoped_lock lock(mutex_);
  return used_;
}

}  // namespace redflag::cuda
