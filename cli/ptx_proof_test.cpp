#include <gmock/gmock.h>

#include "cli/ptx.h"

namespace redflag::cli {
namespace {

using ::testing::HasSubstr;
using Kind = rewrite::Argument::Kind;

TEST(PtxProof, Sizes) {
  const Result<gpu::Dim> one = to_dim("grid", "8", 1000);
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, (gpu::Dim{8, 1, 1}));
  EXPECT_EQ(*to_dim("grid", "8,4,2", 1000), (gpu::Dim{8, 4, 2}));
  for (const char* each : {"", "0", "8,", ",8", "8,4,2,1", "x", "1001", "-1", "8 "}) {
    const Result<gpu::Dim> bad = to_dim("grid", each, 1000);
    ASSERT_FALSE(bad) << each;
    EXPECT_THAT(bad.error().message, HasSubstr("such as --grid=128,4"));
  }
}

TEST(PtxProof, Parameters) {
  const auto is = [](const char* text, std::uint32_t parameter, Kind kind, std::int64_t value) {
    const Result<rewrite::Argument> made = to_argument(text);
    return made && made->parameter == parameter && made->kind == kind && made->value == value;
  };
  EXPECT_TRUE(is("2=4096", 2, Kind::kNumber, 4096));
  EXPECT_TRUE(is("0=-1", 0, Kind::kNumber, -1));
  EXPECT_TRUE(is("0=buffer", 0, Kind::kBuffer, 0));
  EXPECT_TRUE(is("1=same:0", 1, Kind::kSame, 0));
  for (const char* each :
       {"", "2", "=4", "x=4", "2=", "2=4.5", "2=same:", "2=same:-1", "2=buffers"}) {
    const Result<rewrite::Argument> bad = to_argument(each);
    ASSERT_FALSE(bad) << each;
    EXPECT_THAT(bad.error().message, HasSubstr("such as --param=2=4096"));
  }
}

}  // namespace
}  // namespace redflag::cli
