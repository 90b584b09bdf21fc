#include "core/symbolize/module.h"

#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace redflag::symbolize {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kMostKnown = 1U << 16;

// Separate debug information is looked for on this machine alone, by build id (/usr/lib/debug).
// libdwfl's standard search would ask servers where DEBUGINFOD_URLS is set.
int find_debuginfo(Dwfl_Module* module, void** user, const char* name, Dwarf_Addr base,
                   const char* file, const char* link, GElf_Word crc, char** found) {
  return dwfl_build_id_find_debuginfo(module, user, name, base, file, link, crc, found);
}

int find_elf(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) {
  return -1;  // files are reported with their contents
}

const Dwfl_Callbacks kCallbacks{.find_elf = find_elf,
                                .find_debuginfo = find_debuginfo,
                                .section_address = dwfl_offline_section_address,
                                .debuginfo_path = nullptr};

std::string hex_bytes(const unsigned char* bytes, int count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

// A name that the user may have written is better than one of a library's insides.
int rank_of(const GElf_Sym& symbol, std::string_view name) {
  const bool plain = !name.starts_with("_") || name.starts_with("_Z");
  const int bind = GELF_ST_BIND(symbol.st_info);
  return (plain ? 4 : 0) + (bind == STB_GLOBAL ? 2 : bind == STB_WEAK ? 1 : 0);
}

// Sorted by address, one for each address.
void settle(std::vector<Symbol>& symbols) {
  std::sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
    return a.address != b.address ? a.address < b.address : a.rank > b.rank;
  });
  const auto same = [](const Symbol& a, const Symbol& b) { return a.address == b.address; };
  symbols.erase(std::unique(symbols.begin(), symbols.end(), same), symbols.end());
}

// Symbols of assembly code have no size: they reach to the next one.
const Symbol* find(const std::vector<Symbol>& symbols, std::uint64_t address) {
  auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                [](std::uint64_t a, const Symbol& s) { return a < s.address; });
  if (after == symbols.begin()) return nullptr;
  const Symbol& symbol = *--after;
  return symbol.size == 0 || address - symbol.address < symbol.size ? &symbol : nullptr;
}

}  // namespace

std::unique_ptr<Module> Module::open(const std::string& path) {
  std::unique_ptr<Module> made(new Module);
  made->dwfl_ = dwfl_begin(&kCallbacks);
  if (made->dwfl_ == nullptr) return nullptr;
  dwfl_report_begin(made->dwfl_);
  made->module_ = dwfl_report_offline(made->dwfl_, path.c_str(), path.c_str(), -1);
  dwfl_report_end(made->dwfl_, nullptr, nullptr);
  if (made->module_ == nullptr) return nullptr;
  GElf_Addr bias = 0;
  Elf* elf = dwfl_module_getelf(made->module_, &bias);
  if (elf == nullptr) return nullptr;
  made->elf_bias_ = bias;

  std::size_t headers = 0;
  if (elf_getphdrnum(elf, &headers) != 0) return nullptr;
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
    if (header.p_type != PT_LOAD) continue;
    if (made->segments_.empty()) {
      made->first_offset_ = header.p_offset & ~(kPage - 1);
      made->first_address_ = header.p_vaddr & ~(kPage - 1);
    }
    made->segments_.push_back({header.p_vaddr, header.p_vaddr + header.p_memsz});
  }
  if (made->segments_.empty()) return nullptr;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB) made->is_stripped_ = false;
  }

  const unsigned char* id = nullptr;
  GElf_Addr id_address = 0;
  const int id_bytes = dwfl_module_build_id(made->module_, &id, &id_address);
  if (id_bytes > 0) made->build_id_ = hex_bytes(id, id_bytes);
  return made;
}

Module::~Module() {
  if (dwfl_ != nullptr) dwfl_end(dwfl_);
}

bool Module::has(std::uint64_t address) const {
  return std::any_of(segments_.begin(), segments_.end(), [address](const Segment& segment) {
    return address >= segment.begin && address < segment.end;
  });
}

void Module::read_symbols() {
  symbols_read_ = true;
  const int count = dwfl_module_getsymtab(module_);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address = 0;
    GElf_Word section = 0;
    const char* name =
        dwfl_module_getsym_info(module_, i, &symbol, &address, &section, nullptr, nullptr);
    if (name == nullptr || *name == '\0') continue;
    is_instrumented_ |= std::string_view(name).starts_with("__tsan_");
    if (section == SHN_UNDEF || section == SHN_ABS) continue;
    const Symbol one{address - elf_bias_, symbol.st_size, name, rank_of(symbol, name)};
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FUNC || type == STT_GNU_IFUNC) {
      functions_.push_back(one);
    } else if ((type == STT_OBJECT || type == STT_COMMON) && symbol.st_size > 0) {
      objects_.push_back(one);
    }
  }
  settle(functions_);
  settle(objects_);
}

const Symbol* Module::function(std::uint64_t address) {
  if (!symbols_read_) read_symbols();
  return find(functions_, address);
}

const Symbol* Module::object(std::uint64_t address) {
  if (!symbols_read_) read_symbols();
  return find(objects_, address);
}

bool Module::is_instrumented() {
  if (!symbols_read_) read_symbols();
  return is_instrumented_;
}

const Stack& Module::frames(std::uint64_t address) {
  const auto at = known_.find(address);
  if (at != known_.end()) return at->second;
  if (known_.size() >= kMostKnown) known_.clear();
  return known_.emplace(address, look_up(address)).first->second;
}

}  // namespace redflag::symbolize
