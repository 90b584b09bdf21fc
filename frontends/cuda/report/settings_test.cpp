#include "frontends/cuda/report/settings.h"

#include <gtest/gtest.h>

namespace redflag::cuda_report {
namespace {

TEST(Settings, DefaultsAndKnownKeys) {
  const Result<Settings> none = read_settings("", "", "");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->seed, 0U);
  EXPECT_FALSE(none->formal);
  const Result<Settings> some =
      read_settings("history=64 seed=7 strict=ptx lockstep timeout=3 exit-status=9", "r", "t");
  ASSERT_TRUE(some);
  EXPECT_EQ(some->seed, 7U);
  EXPECT_TRUE(some->formal);
  EXPECT_TRUE(some->lockstep);
  EXPECT_EQ(some->timeout_seconds, 3U);
  EXPECT_EQ(some->exit_status, 9);
  EXPECT_EQ(some->report, "r");
  EXPECT_EQ(some->record, "t");
}

TEST(Settings, TheLastOfAKeyCounts) {
  EXPECT_EQ(read_settings("seed=1 seed=2", "", "")->seed, 2U);
  EXPECT_FALSE(read_settings("lockstep=yes lockstep=no", "", "")->lockstep);
}

TEST(Settings, Detectors) {
  EXPECT_EQ(read_settings("", "", "")->detector, "ptx_model");
  const Result<Settings> some = read_settings(
      "detector=iguard granularity=8 accessors=4 metadata-cache=no eager=yes", "", "");
  ASSERT_TRUE(some);
  EXPECT_EQ(some->detector, "iguard");
  EXPECT_EQ(some->granularity, 8U);
  EXPECT_EQ(some->accessors, 4U);
  EXPECT_FALSE(some->metadata_cache);
  EXPECT_TRUE(some->eager);
  EXPECT_EQ(read_settings("detector=fasttrack", "", "")->detector, "ptx_model")
      << "one for threads of the CPU";
}

TEST(Settings, WrongValuesAreNamed) {
  for (const char* wrong : {"seed=x", "strict=c++", "lockstep=perhaps", "exit-status=256",
                            "detector=none", "granularity=5", "accessors=3", "accessors=16"}) {
    const Result<Settings> read = read_settings(wrong, "", "");
    ASSERT_FALSE(read) << wrong;
    EXPECT_NE(read.error().message.find(wrong), std::string::npos) << read.error().message;
  }
}

}  // namespace
}  // namespace redflag::cuda_report
