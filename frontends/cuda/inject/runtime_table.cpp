#include "frontends/cuda/inject/runtime_table.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

#include "frontends/cuda/inject/files.h"

namespace redflag::inject {
namespace {

constexpr unsigned char kId[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                   0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
constexpr int kUnknown = -1;

// What may be done with the page of this address.
int protection_of(std::uintptr_t address) {
  std::istringstream maps(read_file("/proc/self/maps").value_or(""));
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char may[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, may) != 3)
      continue;
    if (address < begin || address >= end) continue;
    return (may[0] == 'r' ? PROT_READ : 0) | (may[1] == 'w' ? PROT_WRITE : 0) |
           (may[2] == 'x' ? PROT_EXEC : 0);
  }
  return kUnknown;
}

void** place_of(const void* table, TableEntry entry) {
  auto* const words = static_cast<void**>(const_cast<void*>(table));
  return words + static_cast<std::size_t>(entry);
}

}  // namespace

bool is_runtime_table(const void* id) {
  return id != nullptr && std::memcmp(id, kId, sizeof(kId)) == 0;
}

void* entry_of(const void* table, TableEntry entry) {
  if (table == nullptr) return nullptr;
  std::size_t size = 0;
  std::memcpy(&size, table, sizeof(size));
  const std::size_t end = (static_cast<std::size_t>(entry) + 1) * sizeof(void*);
  return size < end ? nullptr : *place_of(table, entry);
}

bool set_entry(const void* table, TableEntry entry, void* function) {
  void** const place = place_of(table, entry);
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  const int protection = protection_of(address);
  if (protection == kUnknown) return false;
  const auto page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const page = reinterpret_cast<void*>(address / page_size * page_size);
  const bool may_write = (protection & PROT_WRITE) != 0;
  if (!may_write && ::mprotect(page, page_size, protection | PROT_WRITE) != 0) return false;
  std::atomic_ref<void*>(*place).store(function, std::memory_order_release);
  if (!may_write) (void)::mprotect(page, page_size, protection);
  return true;
}

}  // namespace redflag::inject
