#include "frontends/cuda/ptx/parameters.h"

#include <gmock/gmock.h>

#include "frontends/cuda/ptx/testing.h"

namespace redflag::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Parameters, LieAtTheirAlignment) {
  const Module module = testing::parsed(
      ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u32 n, .param .u64 "
      "p, "
      ".param .align 2 .b8 name[3], .param .u16 h, .param .align 16 .b8 all[20]) { ret; }\n"
      ".visible .entry none() { ret; }\n");
  EXPECT_THAT(parameter_places(*module.find_function("k")),
              ElementsAre(Place{0, 4}, Place{8, 8}, Place{16, 3}, Place{20, 2}, Place{32, 20}));
  EXPECT_THAT(parameter_places(*module.find_function("none")), IsEmpty());
}

TEST(Parameters, TooManyBytesDoNotWrapAround) {
  const Module module = testing::parsed(
      ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b8 "
      "most[4294967280], "
      ".param .u64 a, .param .u64 b, .param .u64 c) { ret; }\n");
  const std::vector<Place> places = parameter_places(*module.find_function("k"));
  ASSERT_EQ(places.size(), 4U);
  for (const Place& each : places) EXPECT_LE(each.end(), places.back().end());
  EXPECT_GT(places.back().end(), 1U << 30);
}

}  // namespace
}  // namespace redflag::ptx
