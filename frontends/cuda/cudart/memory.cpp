#include "frontends/cuda/cudart/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace redflag::cudart {
namespace {

constexpr std::uint64_t kManagedPage = 4096;
constexpr std::uint64_t kBlockAlign = 512;  // what textures over plain memory need

std::uint64_t pages(std::uint64_t size) {
  return (size + kManagedPage - 1) / kManagedPage * kManagedPage;
}

}  // namespace

MemoryTable::~MemoryTable() {
  while (!blocks_.empty()) (void)release(blocks_.begin()->first);
}

Result<Block> MemoryTable::allocate(std::uint64_t size, Where where, unsigned flags) {
  Block block{.address = 0, .size = size, .where = where, .flags = flags};
  if (where == Where::kDevice) {
    const Result<std::uint64_t> address = device_.allocate(size, kBlockAlign);
    if (!address) return Failure(address.error());
    block.address = *address;
    device_bytes_ += size;
  } else {
    void* memory = ::mmap(nullptr, pages(size), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      return fail("needed: " + std::to_string(size) +
                  " bytes of host memory\nfound: " + std::strerror(errno));
    }
    block.address = reinterpret_cast<std::uint64_t>(memory);
    device_.adopt(block.address, size);
  }
  blocks_.emplace(block.address, block);
  return block;
}

bool MemoryTable::enrol(std::uint64_t address, std::uint64_t size, unsigned flags) {
  const auto next = blocks_.lower_bound(address);
  if (find(address) != nullptr || (next != blocks_.end() && next->first - address < size)) {
    return false;
  }
  device_.adopt(address, size);
  blocks_.emplace(address, Block{address, size, Where::kRegistered, flags});
  return true;
}

std::optional<Block> MemoryTable::release(std::uint64_t address) {
  const auto at = blocks_.find(address);
  if (at == blocks_.end()) return std::nullopt;
  const Block block = at->second;
  blocks_.erase(at);
  if (block.where == Where::kDevice) {
    device_bytes_ -= block.size;
    (void)device_.free(address);
    return block;
  }
  device_.disown(address);
  if (block.where != Where::kRegistered) {
    ::munmap(reinterpret_cast<void*>(address), pages(block.size));
  }
  return block;
}

const Block* MemoryTable::find(std::uint64_t address) const {
  auto at = blocks_.upper_bound(address);
  if (at == blocks_.begin()) return nullptr;
  --at;
  return address - at->first < at->second.size ? &at->second : nullptr;
}

bool MemoryTable::reachable(std::uint64_t address) const {
  return find(address) != nullptr || device_.allocation_of(address).size != 0;
}

}  // namespace redflag::cudart
