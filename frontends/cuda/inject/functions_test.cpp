#include "frontends/cuda/inject/functions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "frontends/cuda/inject/driver.h"

namespace redflag::inject {
namespace {

TEST(Functions, EverySymbolIsThereOnce) {
  std::set<std::string> seen;
  for (const FunctionInfo& row : kFunctions) {
    EXPECT_TRUE(seen.insert(row.symbol).second) << row.symbol;
    if (row.name == nullptr) continue;
    EXPECT_TRUE(std::string(row.symbol).starts_with(row.name)) << row.symbol;
    const bool two =
        std::string(row.symbol).ends_with("_ptsz") || std::string(row.symbol).ends_with("_ptds");
    EXPECT_EQ(two, row.streams == Streams::kPerThread) << row.symbol;
  }
}

TEST(Functions, EveryInterceptedOneIsFoundByItsSymbolAndByItsName) {
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    const FunctionInfo& row = kFunctions[i];
    if (row.name == nullptr) {
      EXPECT_FALSE(find_symbol(row.symbol)) << row.symbol;
      continue;
    }
    EXPECT_EQ(find_symbol(row.symbol), static_cast<Fn>(i)) << row.symbol;
    const std::uint64_t flags =
        row.streams == Streams::kPerThread ? kPerThreadStreamSymbols : kLegacyStreamSymbols;
    EXPECT_EQ(find_function(row.name, row.since, flags), static_cast<Fn>(i)) << row.symbol;
    const std::optional<Fn> older = find_function(row.name, row.since - 1, flags);
    EXPECT_NE(older, static_cast<Fn>(i)) << row.symbol;
  }
}

TEST(Functions, TheVersionChoosesAmongThoseOfOneName) {
  EXPECT_EQ(find_function("cuGetProcAddress", 11080, 0), Fn::k_cuGetProcAddress);
  EXPECT_EQ(find_function("cuGetProcAddress", 13000, 0), Fn::k_cuGetProcAddress_v2);
  EXPECT_EQ(find_function("cuMemAlloc", 2000, 0), std::nullopt);  // 32-bit addresses
  EXPECT_EQ(find_function("cuMemAlloc", 13000, 0), Fn::k_cuMemAlloc_v2);
  EXPECT_EQ(find_function("cuNoSuchThing", 13000, 0), std::nullopt);
  // The runtimes of CUDA 12 and 13 ask for the first one.
  EXPECT_EQ(find_function("cuDevicePrimaryCtxReset", 7000, 0), Fn::k_cuDevicePrimaryCtxReset);
}

TEST(Functions, TheFlagsChooseTheDefaultStream) {
  EXPECT_EQ(find_function("cuLaunchKernel", 13000, 0), Fn::k_cuLaunchKernel);
  EXPECT_EQ(find_function("cuLaunchKernel", 13000, kPerThreadStreamSymbols),
            Fn::k_cuLaunchKernel_ptsz);
}

}  // namespace
}  // namespace redflag::inject
