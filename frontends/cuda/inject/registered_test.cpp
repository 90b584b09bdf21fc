#include "frontends/cuda/inject/registered.h"

#include <gtest/gtest.h>

#include <cstring>

#include "frontends/cuda/fatbin/container.h"

namespace redflag::inject {
namespace {

constexpr const char* kPtx = ".version 8.5\n.target sm_80\n.address_size 64\n";

TEST(Registered, AContainerIsReadBack) {
  const std::string bytes = container_of(kPtx);
  const Result<std::vector<fatbin::Entry>> entries = fatbin::read_memory(bytes.data());
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ(entries->front().kind, fatbin::Kind::kPtx);
  EXPECT_EQ(entries->front().sm, 80U);
  EXPECT_EQ(entries->front().options, "");
  EXPECT_EQ(fatbin::unpack(entries->front()).value_or("none"), kPtx);
}

// What 'fatbinary --compress-mode=none' of CUDA 13.0 writes before the text.
TEST(Registered, AContainerIsWhatTheToolkitWrites) {
  const std::string bytes = container_of(kPtx);
  const std::uint32_t words[] = {0xba55ed50, 0x100001, 128,     0,  0x1010001, 80, 48, 0,
                                 0,          64,       0x80005, 80, 0,         0,  17, 0,
                                 0,          0,        0,       0,  72,        0,  0,  0};
  ASSERT_GT(bytes.size(), sizeof(words));
  for (std::size_t i = 0; i < std::size(words); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + 4 * i, 4);
    EXPECT_EQ(word, words[i]) << i;
  }
  EXPECT_EQ(bytes.substr(sizeof(words), 8), ".version");
}

TEST(Registered, TheWrapperIsOursAndChangesWhatItPointsTo) {
  const Wrapper given{fatbin::kWrapperMagic, 1, kPtx, nullptr};
  Registered registered;
  Registered::Binary& binary = registered.add(&given);
  EXPECT_EQ(binary.own.data, given.data);
  Code code;
  code.ptx = kPtx;
  Registered::replace(binary, 3, std::make_shared<const Code>(code));
  EXPECT_EQ(given.data, kPtx);
  const Result<std::vector<fatbin::Entry>> entries = fatbin::read_memory(&binary.own);
  ASSERT_TRUE(entries);
  const std::string text = fatbin::unpack(entries->front()).value_or("");
  EXPECT_EQ(text.substr(0, std::strlen(kPtx)), kPtx);
  EXPECT_NE(text.find(".u32 redflag_binary_3;"), std::string::npos);
}

}  // namespace
}  // namespace redflag::inject
