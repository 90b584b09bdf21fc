#include "frontends/pgas/hold/code.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "frontends/cpu/wire/hold.h"

namespace redflag::pgas::hold {
namespace {

struct Search {
  std::uint64_t pc = 0;
  std::uint64_t bias = 0;
  std::string file;
};

int look_at(dl_phdr_info* module, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = module->dlpi_phdr[i];
    const std::uint64_t begin = module->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || search.pc < begin || search.pc - begin >= part.p_memsz) continue;
    search.bias = module->dlpi_addr;
    const bool is_program = module->dlpi_name == nullptr || *module->dlpi_name == '\0';
    const std::unique_ptr<char, decltype(&std::free)> file(
        ::realpath(is_program ? "/proc/self/exe" : module->dlpi_name, nullptr), &std::free);
    if (file != nullptr) search.file = file.get();
    return 1;
  }
  return 0;
}

}  // namespace

Sides Code::look_up(std::uint64_t pc) const {
  Search search;
  search.pc = pc;
  ::dl_iterate_phdr(look_at, &search);
  if (search.file.empty()) return 0;
  const std::uint64_t at = pc - search.bias;
  Sides sides = 0;
  for (std::uint32_t i = 0; i < std::min(board_.statements, wire::kHoldStatements); ++i) {
    const wire::HoldStatement& one = board_.statement[i];
    if (one.module >= wire::kHoldModules || one.side >= wire::kHoldSides) continue;
    if (at >= one.begin && at < one.end && search.file == board_.module[one.module].path) {
      sides |= 1U << one.side;
    }
  }
  return sides;
}

// The last byte of the call is part of its statement.
Sides Code::sides_of_call(const void* return_address) {
  const std::uint64_t pc = reinterpret_cast<std::uint64_t>(return_address) - 1;
  const auto [at, is_new] = known_.try_emplace(pc, 0);
  if (is_new) at->second = look_up(pc);
  return at->second;
}

}  // namespace redflag::pgas::hold
