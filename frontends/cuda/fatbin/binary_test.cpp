#include "frontends/cuda/fatbin/binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "frontends/cuda/fatbin/testing.h"

namespace redflag::fatbin {
namespace {

using ::testing::HasSubstr;

Binary opened(const std::string& name) {
  Result<Binary> binary = open_binary(std::string(TEST_FILES) + "/" + name);
  EXPECT_TRUE(binary) << binary.error().message;
  return std::move(*binary);
}

// What nvcc 13 made of tests/cuda/fatbin/scale.cu.
TEST(Binary, RealFatBinaries) {
  for (const char* name : {"zstd.fatbin", "lz4.fatbin", "plain.fatbin", "relocatable.fatbin"}) {
    const Binary binary = opened(name);
    EXPECT_EQ(binary.kind, FileKind::kFatbin);
    const Result<std::vector<PtxText>> texts = ptx_of(binary);
    ASSERT_TRUE(texts) << texts.error().message;
    ASSERT_EQ(texts->size(), 1U) << name;
    EXPECT_THAT(texts->front().text, HasSubstr(".visible .entry _Z5scalePffi")) << name;
  }
  EXPECT_EQ(opened("zstd.fatbin").entries.back().packing, Packing::kZstd);
  EXPECT_EQ(opened("lz4.fatbin").entries.back().packing, Packing::kLz4);
  EXPECT_EQ(opened("plain.fatbin").entries.back().packing, Packing::kNone);
  EXPECT_EQ(opened("relocatable.fatbin").entries.back().options, "--compile-only");
  EXPECT_THAT(describe(opened("zstd.fatbin")), HasSubstr("machine code for sm_80, not packed"));
}

TEST(Binary, WithoutPtxSaysWhatThereIs) {
  const Binary binary = opened("cubin_only.fatbin");
  const Result<std::string> elf = unpack(binary.entries.front());
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_TRUE(
      elf->starts_with("\x7f"
                       "ELF"));
  const Result<std::vector<PtxText>> texts = ptx_of(binary);
  ASSERT_FALSE(texts);
  EXPECT_THAT(texts.error().message, HasSubstr("only machine code for sm_75"));
  EXPECT_THAT(texts.error().message, HasSubstr("-gencode arch=compute_75,code=compute_75"));
  const Result<Binary> cubin = parse_binary("a.cubin", *elf);
  ASSERT_TRUE(cubin);
  EXPECT_EQ(cubin->kind, FileKind::kCubin);
  EXPECT_THAT(ptx_of(*cubin).error().message, HasSubstr("it is a cubin"));
}

TEST(Binary, ElfSectionsOfProgramsAndObjects) {
  const std::string data = testing::container({{.sm = 75, .payload = "text"}});
  for (const char* section : {".nv_fatbin", "__nv_relfatbin"}) {
    const Result<Binary> binary = parse_binary("app", testing::elf_with(section, data));
    ASSERT_TRUE(binary) << binary.error().message;
    EXPECT_EQ(ptx_of(*binary)->front().text, "text");
    EXPECT_EQ(ptx_of(*binary)->front().name, "app(0,compute_75)");
    EXPECT_EQ(binary->entries.front().relocatable, section[0] == '_');
  }
  const Result<Binary> plain = parse_binary("app", testing::elf_with(".data", data));
  ASSERT_TRUE(plain);
  EXPECT_THAT(ptx_of(*plain).error().message, HasSubstr("holds no GPU code"));
}

TEST(Binary, SectionHeadersRemoved) {
  std::string elf = testing::elf_with(".text", testing::container({{.payload = "text"}}));
  Elf64_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof(header));
  header.e_shoff = 0;
  header.e_shnum = 0;
  std::memcpy(elf.data(), &header, sizeof(header));
  const Result<Binary> binary = parse_binary("app", elf);
  ASSERT_TRUE(binary) << binary.error().message;
  EXPECT_EQ(ptx_of(*binary)->front().text, "text");
}

TEST(Binary, Archive) {
  std::string elf = testing::elf_with("__nv_relfatbin", testing::container({{.payload = "text"}}));
  std::string member = "scale.o/        0           0     0     644     ";
  std::string size = std::to_string(elf.size());
  size.resize(10, ' ');
  const Result<Binary> binary = parse_binary("lib.a", "!<arch>\n" + member + size + "`\n" + elf);
  ASSERT_TRUE(binary) << binary.error().message;
  EXPECT_EQ(ptx_of(*binary)->size(), 1U);
}

TEST(Binary, OtherFiles) {
  EXPECT_THAT(parse_binary("a.png", "\x89PNG....").error().message,
              HasSubstr("expected a program, library"));
  EXPECT_FALSE(parse_binary("empty", ""));
  EXPECT_FALSE(parse_binary("cut",
                            "\x7f"
                            "ELF"));
  EXPECT_EQ(parse_binary("a.ptx", "// x\n.version 8.0\n")->kind, FileKind::kPtx);
}

// Seeded: a failing round is replayed by its number.
TEST(Binary, DamagedFilesNeverCrash) {
  const std::string data = *opened("zstd.fatbin").bytes;
  const std::string elf = testing::elf_with(".nv_fatbin", data);
  for (unsigned round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    std::mt19937 random(round);
    std::string bytes = round % 2 == 0 ? data : elf;
    for (unsigned i = random() % 4; i <= 4; ++i) {
      // Headers are where it hurts.
      const std::size_t at = random() % 2 == 0 ? random() % bytes.size()
                             : round % 2 == 0  ? random() % 96
                                               : bytes.size() - 1 - random() % 192;
      bytes[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    const Result<Binary> binary = parse_binary("fuzz", bytes);
    if (!binary) {
      EXPECT_THAT(binary.error().message, HasSubstr("fuzz:"));
      continue;
    }
    for (const Entry& entry : binary->entries) (void)unpack(entry);
  }
}

}  // namespace
}  // namespace redflag::fatbin
