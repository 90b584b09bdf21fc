#include "frontends/cuda/fatbin/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "frontends/cuda/fatbin/testing.h"

namespace redflag::fatbin {
namespace {

using ::testing::HasSubstr;

Result<std::vector<Entry>> read(const std::string& bytes) {
  return read_containers(std::as_bytes(std::span<const char>(bytes)), 100, "app");
}

std::string packed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(Container, SeveralWithPaddingBetween) {
  const std::string bytes = testing::container({{.payload = ".version 8.0"}}) +
                            std::string(8, '\0') +
                            testing::container({{.kind = 2,
                                                 .sm = 90,
                                                 .payload = "\x7f"
                                                            "ELF"}});
  const Result<std::vector<Entry>> entries = read(bytes);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].place, 116U);
  EXPECT_EQ(*unpack((*entries)[0]), ".version 8.0");  // without the zero bytes that pad it
  EXPECT_EQ((*entries)[1].kind, Kind::kElf);
  EXPECT_EQ((*entries)[1].sm, 90U);
  EXPECT_EQ((*entries)[1].container, 1U);
}

TEST(Container, Zstd) {
  const std::string text(100000, 'p');
  const std::string bytes =
      testing::container({{.flags = 0x8011, .payload = packed(text), .unpacked = text.size()}});
  const Result<std::vector<Entry>> entries = read(bytes);
  ASSERT_TRUE(entries);
  EXPECT_EQ(*unpack(entries->front()), text);
}

TEST(Container, SizesThatLieAreRefused) {
  const std::string text(1000, 'p');
  for (const std::uint64_t size : {std::uint64_t{10}, std::uint64_t{100000}, ~std::uint64_t{0}}) {
    const std::string zstd =
        testing::container({{.flags = 0x8011, .payload = packed(text), .unpacked = size}});
    const std::string lz4 =
        testing::container({{.flags = 0x2011, .payload = "\x10p", .unpacked = size}});
    for (const std::string& bytes : {zstd, lz4}) {
      const Result<std::string> out = unpack(read(bytes)->front());
      ASSERT_FALSE(out);
      EXPECT_THAT(out.error().message, HasSubstr("app: at byte 116"));
      EXPECT_THAT(out.error().message, HasSubstr("build or copy it again"));
    }
  }
}

TEST(Container, EveryTruncationIsAnErrorOrLess) {
  const std::string whole = testing::container({{.payload = "one"}, {.payload = "two"}});
  for (std::size_t size = 16; size < whole.size(); ++size) {
    const Result<std::vector<Entry>> entries = read(whole.substr(0, size));
    ASSERT_FALSE(entries) << size;
    EXPECT_THAT(entries.error().message, HasSubstr("app: at byte "));
  }
}

TEST(Container, FromMemory) {
  const std::string data = testing::container({{.payload = "text"}});
  struct {
    std::uint32_t magic = kWrapperMagic;
    std::uint32_t version = 1;
    const void* data = nullptr;
    const void* unused = nullptr;
  } wrapper;
  wrapper.data = data.data();
  for (const void* from :
       {static_cast<const void*>(&wrapper), static_cast<const void*>(data.data())}) {
    const Result<std::vector<Entry>> entries = read_memory(from);
    ASSERT_TRUE(entries) << entries.error().message;
    EXPECT_EQ(*unpack(entries->front()), "text");
  }
  EXPECT_FALSE(read_memory("something else"));
  EXPECT_FALSE(read_memory(nullptr));
}

}  // namespace
}  // namespace redflag::fatbin
