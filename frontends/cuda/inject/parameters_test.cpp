#include "frontends/cuda/inject/parameters.h"

#include <gtest/gtest.h>

#include <cstring>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {
namespace {

TEST(Parameters, PointersAreCopiedAndTheNumberComesLast) {
  int a = 1;
  float b = 2;
  void* given[] = {&a, &b};
  Parameters made(2, 8, 77, given, nullptr);
  EXPECT_EQ(made.extra(), nullptr);
  EXPECT_EQ(made.params()[0], &a);
  EXPECT_EQ(made.params()[1], &b);
  EXPECT_EQ(*static_cast<std::uint64_t*>(made.params()[2]), 77U);
}

TEST(Parameters, AKernelWithoutParametersGetsTheNumberAlone) {
  Parameters made(0, 0, 5, nullptr, nullptr);
  EXPECT_EQ(*static_cast<std::uint64_t*>(made.params()[0]), 5U);
}

TEST(Parameters, ABlockGetsTheNumberAtItsOffset) {
  struct Block {
    std::uint64_t pointer;
    std::int32_t count;
  } block{0x1234, 7};
  std::size_t size = 12;  // without padding, as the documentation allows
  void* extra[] = {reinterpret_cast<void*>(kParamBufferPointer), &block,
                   reinterpret_cast<void*>(kParamBufferSize), &size, nullptr};
  Parameters made(2, 16, 99, nullptr, extra);
  EXPECT_EQ(made.params(), nullptr);
  void** words = made.extra();
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(words[0]), kParamBufferPointer);
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(words[2]), kParamBufferSize);
  EXPECT_EQ(*static_cast<std::size_t*>(words[3]), 24U);
  EXPECT_EQ(words[4], nullptr);
  EXPECT_EQ(std::memcmp(words[1], &block, 12), 0);
  std::uint64_t number = 0;
  std::memcpy(&number, static_cast<char*>(words[1]) + 16, 8);
  EXPECT_EQ(number, 99U);
}

}  // namespace
}  // namespace redflag::inject
