#include "frontends/cuda/inject/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/cuda/fatbin/testing.h"

namespace redflag::inject {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText = "\n// made by hand\n.version 8.0\n.target sm_80\n";

TEST(Images, TextIsPtx) {
  const Result<std::string> ptx = ptx_of_image(kText, 90);
  ASSERT_TRUE(ptx);
  EXPECT_EQ(*ptx, kText);
}

TEST(Images, TheNewestPtxThatRunsIsTaken) {
  const std::string bytes = fatbin::testing::container({{.sm = 75, .payload = ".version 7"},
                                                        {.sm = 80, .payload = ".version 8"},
                                                        {.sm = 100, .payload = ".version 9"}});
  EXPECT_EQ(ptx_of_image(bytes.data(), 90).value_or("none"), ".version 8");
  EXPECT_EQ(ptx_of_image(bytes.data(), 120).value_or("none"), ".version 9");
}

TEST(Images, AWrapperIsFollowed) {
  const std::string bytes = fatbin::testing::container({{.sm = 80, .payload = ".version 8"}});
  const struct {
    std::uint32_t magic = fatbin::kWrapperMagic;
    std::uint32_t version = 1;
    const void* data = nullptr;
    const void* more = nullptr;
  } wrapper{.data = bytes.data()};
  EXPECT_EQ(ptx_of_image(&wrapper, 80).value_or("none"), ".version 8");
}

TEST(Images, WithoutPtxTheReasonSaysWhatThereIs) {
  const std::string code = fatbin::testing::container({{.kind = 2, .sm = 90, .payload = "x"}});
  const Result<std::string> ptx = ptx_of_image(code.data(), 90);
  ASSERT_FALSE(ptx);
  EXPECT_THAT(ptx.error().message, HasSubstr("machine code for sm_90 only, no PTX that sm_90"));
  const Result<std::string> cubin = ptx_of_image("\177ELF\2\1\1", 90);
  ASSERT_FALSE(cubin);
  EXPECT_THAT(cubin.error().message, HasSubstr("-gencode"));
  EXPECT_FALSE(ptx_of_image("\1\2\3\4", 90));
}

}  // namespace
}  // namespace redflag::inject
