#include "frontends/cuda/inject/packed.h"

#include <gtest/gtest.h>

namespace redflag::inject {
namespace {

Code sample() {
  Code made;
  made.variables = {"counter", "table"};
  made.ptx = ".version 8.0\n";
  made.note = "a part without PTX";
  made.sites = {{}, {.frames = {{"f", "a.cu", 7, 3}, {"g", "b.cu", 9, 0}}, .text = "st.global"}};
  rewrite::Kernel kernel;
  kernel.name = "k";
  kernel.checked = true;
  kernel.sync = {.known = true, .bits = 5};
  kernel.parameters = 3;
  kernel.launch_offset = 24;
  made.kernels.push_back(kernel);
  rewrite::Kernel other;
  other.name = "other";
  other.why = "because";
  made.kernels.push_back(other);
  made.counts.hooks = 12;
  return made;
}

TEST(Packed, EverythingComesBack) {
  const std::optional<Code> back = unpack(pack(sample()));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->variables, sample().variables);
  EXPECT_EQ(back->ptx, ".version 8.0\n");
  EXPECT_EQ(back->note, sample().note);
  ASSERT_EQ(back->sites.size(), 2U);
  EXPECT_EQ(back->sites[1].frames, sample().sites[1].frames);
  EXPECT_EQ(back->sites[1].text, "st.global");
  ASSERT_EQ(back->kernels.size(), 2U);
  EXPECT_TRUE(back->kernels[0].checked);
  EXPECT_EQ(back->kernels[0].sync, sample().kernels[0].sync);
  EXPECT_EQ(back->kernels[0].launch_offset, 24U);
  EXPECT_EQ(back->kernels[1].why, "because");
  EXPECT_EQ(back->counts.hooks, 12U);
}

TEST(Packed, BytesThatAreCutOffOrTooManyAreNone) {
  const std::string bytes = pack(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(unpack(bytes + "x"));
}

}  // namespace
}  // namespace redflag::inject
