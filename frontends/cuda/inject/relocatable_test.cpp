#include "frontends/cuda/inject/relocatable.h"

#include <gtest/gtest.h>

#include "frontends/cuda/fatbin/testing.h"
#include "frontends/cuda/inject/wrapper.h"

namespace redflag::inject {
namespace {

using fatbin::testing::container;

TEST(Relocatable, AnObjectIsItsPtxOrElseItsMachineCode) {
  const std::string linked = container({{.kind = 2, .sm = 90, .payload = "linked"}});
  const std::string both = container({{.kind = 2, .sm = 90, .payload = "code of both"},
                                      {.sm = 75, .payload = "older"},
                                      {.sm = 80, .payload = "newer"},
                                      {.sm = 100, .payload = "too new"}});
  const std::string code = container({{.kind = 2, .sm = 80, .payload = "older code"},
                                      {.kind = 2, .sm = 90, .payload = "its code"}});
  const void* const objects[] = {both.data(), code.data(), nullptr};
  const Wrapper wrapper{fatbin::kWrapperMagic, 2, linked.data(), objects};
  const std::vector<Input> found = objects_of(&wrapper, 90);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, kJitInputPtx);
  EXPECT_EQ(found[0].bytes, "newer");
  EXPECT_EQ(found[1].kind, kJitInputCode);
  EXPECT_EQ(found[1].bytes.substr(0, 8), "its code");
}

TEST(Relocatable, WithoutAnyPtxThereIsNothingToLink) {
  const std::string code = container({{.kind = 2, .sm = 90, .payload = "its code"}});
  const void* const objects[] = {code.data(), nullptr};
  const Wrapper wrapper{fatbin::kWrapperMagic, 2, code.data(), objects};
  EXPECT_TRUE(objects_of(&wrapper, 90).empty());
  const Wrapper old{fatbin::kWrapperMagic, 1, code.data(), nullptr};
  EXPECT_TRUE(objects_of(&old, 90).empty());
  EXPECT_TRUE(objects_of(".version 8.0", 90).empty());
}

}  // namespace
}  // namespace redflag::inject
