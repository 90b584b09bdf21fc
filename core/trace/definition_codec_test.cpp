#include "core/trace/definition_codec.h"

#include <gtest/gtest.h>

#include "core/trace/testing.h"

namespace redflag::rft {
namespace {

TEST(DefinitionCodec, GivesBackRandomDefinitions) {
  testing_trace::Random random(3);
  const std::vector<Definition> definitions = testing_trace::any_definitions(random, 2000);
  std::string bytes;
  for (const Definition& d : definitions) encode_definition(d, bytes);
  std::string_view rest = bytes;
  for (const Definition& d : definitions) {
    const Result<Definition> decoded = decode_definition(rest);
    ASSERT_TRUE(decoded) << decoded.error().message;
    ASSERT_EQ(*decoded, d);
  }
  EXPECT_TRUE(rest.empty());
}

std::string error_of(std::string_view bytes) {
  const Result<Definition> decoded = decode_definition(bytes);
  return decoded ? "" : decoded.error().message;
}

TEST(DefinitionCodec, EveryCutIsFound) {
  std::string bytes;
  encode_definition(Region{Addr{0x12345}, 8, RegionKind::kHeap, "node", SourceId{300}}, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(error_of(std::string_view(bytes).substr(0, size)), "") << size;
}

TEST(DefinitionCodec, NamesFaults) {
  using namespace std::string_view_literals;
  EXPECT_EQ(error_of(""), "the definition ends too early");
  EXPECT_EQ(error_of("\x09\x01\x00"sv), "unknown type of definition, expected 1 to 4");
  EXPECT_EQ(error_of("\x02\x01\x05x"sv), "a name longer than what is left of the block");
  EXPECT_EQ(error_of("\x02\xff\xff\xff\xff\x7f\x00"sv), "a number above its largest value");
  EXPECT_EQ(error_of("\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00"sv),
            "a number of more than 64 bits");
  EXPECT_EQ(error_of("\x03\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00\x00"sv),
            "a number of more than 64 bits");
  EXPECT_EQ(error_of("\x02\x01\x81\x80\x04"sv), "a number above its largest value")
      << "names have at most 65536 bytes";
  EXPECT_EQ(error_of("\x04\x10\x08\x08\x00\x00"sv), "unknown kind of region");
}

}  // namespace
}  // namespace redflag::rft
