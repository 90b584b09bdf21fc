// The probe on files made here, and on this very test, which is not instrumented.
#include "cli/probe.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "frontends/cuda/fatbin/testing.h"

namespace redflag::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class ProbeTest : public ::testing::Test {
 protected:
  std::string file(const std::string& bytes) {
    name_ = ::testing::TempDir() + "redflag_probe_" + std::to_string(::getpid());
    std::ofstream(name_, std::ios::binary) << bytes;
    return name_;
  }
  void TearDown() override { std::remove(name_.c_str()); }

  std::string name_;
};

// An ELF file with one table of symbols (defined or not) and a dynamic section.
std::string elf(const std::vector<std::pair<std::string, bool>>& symbols,
                const std::string& needed = {}) {
  std::string strings(1, '\0');
  const auto add = [&strings](const std::string& text) {
    const std::size_t at = strings.size();
    strings += text + '\0';
    return at;
  };
  std::string table(sizeof(Elf64_Sym), '\0');
  for (const auto& [name, defined] : symbols) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(add(name));
    symbol.st_shndx = defined ? 1 : SHN_UNDEF;
    table.append(reinterpret_cast<const char*>(&symbol), sizeof(symbol));
  }
  std::string dynamic;
  if (!needed.empty()) {
    Elf64_Dyn entry{};
    entry.d_tag = DT_NEEDED;
    entry.d_un.d_val = add(needed);
    dynamic.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shoff = sizeof(header);
  std::size_t at = sizeof(header) + 3 * sizeof(Elf64_Shdr);
  std::string sections;
  std::string bodies;
  const auto section = [&](Elf64_Word type, const std::string& body) {
    Elf64_Shdr made{};
    made.sh_type = type;
    made.sh_link = 0;  // the strings are section 0
    made.sh_offset = at;
    made.sh_size = body.size();
    at += body.size();
    sections.append(reinterpret_cast<const char*>(&made), sizeof(made));
    bodies += body;
  };
  section(SHT_STRTAB, strings);
  section(SHT_DYNSYM, table);
  section(dynamic.empty() ? static_cast<Elf64_Word>(SHT_NULL) : SHT_DYNAMIC, dynamic);
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + sections + bodies;
}

TEST_F(ProbeTest, ThisTestIsNotInstrumented) {
  const Result<Probe> probe = probe_program("/proc/self/exe");
  ASSERT_TRUE(probe) << probe.error().message;
  EXPECT_EQ(probe->kind, FileKind::kElf);
  EXPECT_FALSE(probe->instrumented);
  EXPECT_FALSE(probe->is_static);
  EXPECT_THAT(probe->needed, Contains(HasSubstr("libc.so")));
}

TEST_F(ProbeTest, TellsRuntimesApart) {
  Probe probe = *probe_file(file(elf({{"main", true}, {"__tsan_func_entry", false}}, "libc.so.6")));
  EXPECT_TRUE(probe.instrumented);
  EXPECT_FALSE(probe.has_redflag || probe.has_tsan || probe.is_static);

  probe = *probe_file(file(elf({{"__tsan_init", true}, {"__redflag_runtime", true}})));
  EXPECT_TRUE(probe.instrumented && probe.has_redflag && probe.is_static);
  probe = *probe_file(file(elf({{"__tsan_init", false}}, "libredflag.so.0")));
  EXPECT_TRUE(probe.instrumented && probe.has_redflag);
  probe = *probe_file(file(elf({{"__tsan_init", true}, {"_ZN6__tsan10InitializeEv", true}})));
  EXPECT_TRUE(probe.instrumented && probe.has_tsan);
  EXPECT_FALSE(probe.has_redflag);
  probe = *probe_file(file(elf({{"__tsan_init", false}}, "libtsan.so.2")));
  EXPECT_TRUE(probe.has_tsan);
}

TEST_F(ProbeTest, KernelsAreInASectionOfTheirOwn) {
  for (const char* section : {".nv_fatbin", "__nv_relfatbin"}) {
    const Result<Probe> probe = probe_file(file(fatbin::testing::elf_with(section, "kernels")));
    ASSERT_TRUE(probe);
    EXPECT_TRUE(probe->has_gpu_code) << section;
  }
  const Result<Probe> other = probe_file(file(fatbin::testing::elf_with(".nv_fatbin2", "none")));
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->has_gpu_code);
}

TEST_F(ProbeTest, OtherFiles) {
  Probe probe = *probe_file(file("#! /usr/bin/env bash\necho\n"));
  EXPECT_EQ(probe.kind, FileKind::kScript);
  EXPECT_EQ(probe.interpreter, "/usr/bin/env");
  EXPECT_EQ(probe_file(file("hello"))->kind, FileKind::kOther);
  EXPECT_EQ(probe_file(file(""))->kind, FileKind::kOther);
  EXPECT_THAT(probe_file("/").error().message, HasSubstr("it is a folder"));
  EXPECT_THAT(probe_file("/no/such").error().message, HasSubstr("cannot be read"));
}

TEST_F(ProbeTest, BrokenFilesAreHarmless) {
  const std::string whole = elf({{"__tsan_init", false}}, "libredflag.so.0");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<Probe> probe = probe_file(file(whole.substr(0, size)));
    ASSERT_TRUE(probe);
    EXPECT_EQ(probe->cut_off, probe->kind == FileKind::kElf) << size;
  }
  EXPECT_FALSE(probe_file(file(whole))->cut_off);
  for (std::size_t i = 4; i < whole.size(); ++i) {
    std::string broken = whole;
    broken[i] = '\xff';
    EXPECT_TRUE(probe_file(file(broken)));
  }
}

}  // namespace
}  // namespace redflag::cli
