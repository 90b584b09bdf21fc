// Machine code of the GPU that is none: PTX in an ELF file, which has no more than it needs to be one.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace redflag::fake {

inline std::string cubin(const std::string& ptx) {
  std::string text = ptx;
  text.resize((text.size() + 8) / 8 * 8, '\0');  // ends in a zero byte
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = 190;  // EM_CUDA
  header.e_ehsize = sizeof(header);
  header.e_shoff = sizeof(header) + text.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 1;
  const Elf64_Shdr none{};
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + text +
         std::string(reinterpret_cast<const char*>(&none), sizeof(none));
}

inline bool is_cubin(const void* image) {
  return std::strncmp(static_cast<const char*>(image), ELFMAG, SELFMAG) == 0;
}

inline std::string ptx_of_cubin(const void* image) {
  return static_cast<const char*>(image) + sizeof(Elf64_Ehdr);
}

}  // namespace redflag::fake
