#include "frontends/cuda/ptx/image.h"

#include <gmock/gmock.h>

#include <cstring>

#include "frontends/cuda/ptx/testing.h"

namespace redflag::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::parsed;
using testing::with_header;

Image image(const std::string& declaration) {
  const Module module = parsed(with_header(".global .b32 y[9];\n" + declaration));
  Result<Image> made = initial_image(module, module.variables.back());
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

TEST(Image, NumbersOfEveryType) {
  EXPECT_THAT(image(".global .b8 x[] = {1, 255, -1};").bytes, ElementsAre(1, 255, 255));
  EXPECT_THAT(image(".global .u16 x = 0x102;").bytes, ElementsAre(2, 1));
  EXPECT_THAT(image(".global .f32 x = 1.0;").bytes, ElementsAre(0, 0, 0x80, 0x3f));
  EXPECT_THAT(image(".global .b32 x = 0f3F800000;").bytes, ElementsAre(0, 0, 0x80, 0x3f));
  EXPECT_EQ(image(".global .f64 x = 0d3FE0000000000000;").bytes.back(), 0x3f);
  EXPECT_TRUE(image(".global .b32 x;").bytes.empty());
}

TEST(Image, ShortRowsLeaveZeros) {
  EXPECT_THAT(image(".global .b8 x[2][3] = {{1}, {4, 5}};").bytes, ElementsAre(1, 0, 0, 4, 5));
  EXPECT_THAT(image(".global .v2 .b8 x[2] = {{1, 2}, {3, 4}};").bytes, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(image(".global .b8 x[2][2] = {1, 2, 3};").bytes, ElementsAre(1, 2, 3));
}

TEST(Image, Addresses) {
  const Image made = image(".global .u64 x[2] = {generic(y)+4, y};");
  ASSERT_EQ(made.relocations.size(), 2U);
  EXPECT_EQ(made.relocations[0].addend, 4);
  EXPECT_TRUE(made.relocations[0].generic);
  EXPECT_EQ(made.relocations[1].offset, 8U);
  EXPECT_FALSE(made.relocations[1].generic);
  EXPECT_EQ(image(".global .u8 x[2] = {0xFF(y), 0xFF00(y)};").relocations[1].mask, 0xff00U);
}

TEST(Image, TooManyValues) {
  const Module module = parsed(with_header(".global .b8 x[2] = {1, 2, 3};"));
  EXPECT_THAT(
      initial_image(module, module.variables[0]).error().message,
      HasSubstr("test.ptx:4: variable 'x' has more initial values than fit in its 2 bytes"));
  const Module huge = parsed(with_header(".global .b8 x[4][1099511627776] = {{1}, {2}};"));
  EXPECT_FALSE(initial_image(huge, huge.variables[0]));
}

}  // namespace
}  // namespace redflag::ptx
