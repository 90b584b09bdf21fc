// Fat binaries and ELF files made byte by byte, for tests.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "frontends/cuda/fatbin/container.h"

namespace redflag::fatbin::testing {

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

struct EntrySpec {
  std::uint16_t kind = 1;
  std::uint32_t sm = 80;
  std::uint64_t flags = 0x11;
  std::string payload;
  std::uint64_t unpacked = 0;
};

inline std::string container(const std::vector<EntrySpec>& entries) {
  std::string body;
  for (const EntrySpec& each : entries) {
    std::string payload = each.payload;
    payload.resize((payload.size() + 7) / 8 * 8, '\0');
    put<std::uint16_t>(body, each.kind);
    put<std::uint16_t>(body, 0x101);
    put<std::uint32_t>(body, 64);
    put<std::uint64_t>(body, payload.size());
    put<std::uint32_t>(body, static_cast<std::uint32_t>(each.payload.size()));
    put<std::uint32_t>(body, 0);
    put<std::uint32_t>(body, 0);
    put<std::uint32_t>(body, each.sm);
    put<std::uint64_t>(body, 0);
    put<std::uint64_t>(body, each.flags);
    put<std::uint64_t>(body, 0);
    put<std::uint64_t>(body, each.unpacked);
    body += payload;
  }
  std::string out;
  put<std::uint32_t>(out, kContainerMagic);
  put<std::uint16_t>(out, 1);
  put<std::uint16_t>(out, 16);
  put<std::uint64_t>(out, body.size());
  return out + body;
}

// An ELF file whose only sections of interest are one of this name and the names.
inline std::string elf_with(const std::string& section, const std::string& bytes,
                            std::uint16_t machine = EM_X86_64) {
  const std::string names = std::string(1, '\0') + section + '\0';
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = machine;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  header.e_shoff = sizeof(header) + bytes.size() + names.size();
  Elf64_Shdr none{};
  Elf64_Shdr code{};
  code.sh_name = 1;
  code.sh_type = SHT_PROGBITS;
  code.sh_offset = sizeof(header);
  code.sh_size = bytes.size();
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = sizeof(header) + bytes.size();
  strings.sh_size = names.size();
  std::string out;
  put(out, header);
  out += bytes + names;
  put(out, none);
  put(out, code);
  put(out, strings);
  return out;
}

}  // namespace redflag::fatbin::testing
