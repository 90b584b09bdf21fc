#include "frontends/cuda/inject/wrapper.h"

#include <gtest/gtest.h>

#include <cstring>

#include "frontends/cuda/fatbin/container.h"

namespace redflag::inject {
namespace {

constexpr const char* kPtx = ".version 8.5\n.target sm_80\n.address_size 64\n";

void begins_with(const std::string& bytes, std::initializer_list<std::uint32_t> words) {
  ASSERT_GT(bytes.size(), words.size() * 4);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 4 * i, 4);
    EXPECT_EQ(word, words.begin()[i]) << i;
  }
}

TEST(Wrapper, PtxIsReadBackThroughIt) {
  const std::string container = container_of(kPtx, 90);
  const Wrapper wrapper = wrapper_of(container);
  const Result<std::vector<fatbin::Entry>> entries = fatbin::read_memory(&wrapper);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ(entries->front().kind, fatbin::Kind::kPtx);
  EXPECT_EQ(entries->front().sm, 80U);
  EXPECT_EQ(entries->front().options, "");
  EXPECT_EQ(fatbin::unpack(entries->front()).value_or("none"), kPtx);
}

TEST(Wrapper, MachineCodeIsReadBackThroughIt) {
  const std::string code = std::string("\177ELF") + std::string(9, '\0') + "end";
  const std::string container = container_of(code, 90);
  const Wrapper wrapper = wrapper_of(container);
  const Result<std::vector<fatbin::Entry>> entries = fatbin::read_memory(&wrapper);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ(entries->front().kind, fatbin::Kind::kElf);
  EXPECT_EQ(entries->front().sm, 90U);
  EXPECT_EQ(fatbin::unpack(entries->front()).value_or("none"), code);
}

// What 'fatbinary --compress-mode=none' of CUDA 13.0 writes before the text.
TEST(Wrapper, PtxIsContainedAsTheToolkitDoes) {
  const std::string bytes = container_of(kPtx, 90);
  begins_with(bytes, {0xba55ed50, 0x100001, 128, 0, 0x1010001, 80, 48, 0, 0,  64, 0x80005, 80,
                      0,          0,        17,  0, 0,         0,  0,  0, 72, 0,  0,       0});
  EXPECT_EQ(bytes.substr(96, 8), ".version");
}

// What nvcc 11.8 writes before machine code, which has a name besides.
TEST(Wrapper, MachineCodeIsContainedAsTheToolkitDoes) {
  const std::string bytes = container_of("\177ELF....", 90);
  begins_with(bytes, {0xba55ed50, 0x100001, 72, 0, 0x1010002, 64, 8, 0, 0, 0,
                      0x10007,    90,       0,  0, 17,        0,  0, 0, 0, 0});
  EXPECT_EQ(bytes.substr(80), "\177ELF....");
}

}  // namespace
}  // namespace redflag::inject
