#include "sim/config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redflag::sim {
namespace {

using testing::HasSubstr;

enum class Policy : std::uint8_t { kLru, kFifo };
constexpr std::string_view kPolicies[] = {"lru", "fifo"};
std::span<const std::string_view> choice_words(Policy) {
  return kPolicies;
}

struct Machine {
  std::uint32_t cores = 16;
  std::uint64_t bytes = 32 << 10;
  double ratio = 1.5;
  bool prefetch = true;
  Policy policy = Policy::kLru;
};

std::vector<Parameter> parameters_of(Machine& m) {
  return {{"cores", &m.cores, "how many"},
          {"bytes", &m.bytes, "of the first level"},
          {"ratio", &m.ratio, "of clocks"},
          {"prefetch", &m.prefetch, "section 4.2"},
          parameter_of("policy", m.policy, "who leaves")};
}

class Settings : public testing::Test {
 protected:
  std::string apply_text(std::string_view text) {
    const Result<std::vector<Setting>> settings = parse_settings(text, "m.cfg");
    if (!settings) return settings.error().message;
    const Result<void> done = apply_settings(parameters_, *settings);
    return done ? "" : done.error().message;
  }
  Machine machine_;
  std::vector<Parameter> parameters_ = parameters_of(machine_);
};

TEST_F(Settings, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(apply_text("# a machine\n cores = 8 # few\r\n\nbytes=2M\nratio = 0.25\nprefetch = "
                       "no\npolicy = fifo"),
            "");
  EXPECT_EQ(machine_.cores, 8U);
  EXPECT_EQ(machine_.bytes, 2U << 20);
  EXPECT_EQ(machine_.ratio, 0.25);
  EXPECT_FALSE(machine_.prefetch);
  EXPECT_EQ(machine_.policy, Policy::kFifo);
}

TEST_F(Settings, LaterOnesWin) {
  EXPECT_EQ(apply_text("cores = 8\ncores = 4"), "");
  EXPECT_EQ(machine_.cores, 4U);
}

TEST_F(Settings, FaultsNameTheLineAndChangeNothing) {
  const std::string faults =
      apply_text("cores = 8\ncors = 4\nratio = fast\npolicy = mru\nprefetch = 1\ncores = 4G");
  EXPECT_THAT(faults, HasSubstr("m.cfg:2: there is no parameter 'cors'; did you mean 'cores'?"));
  EXPECT_THAT(faults, HasSubstr("m.cfg:3: ratio: a number is needed, found 'fast'"));
  EXPECT_THAT(faults, HasSubstr("m.cfg:4: policy: one of lru, fifo is needed, found 'mru'"));
  EXPECT_THAT(faults, HasSubstr("m.cfg:5: prefetch: 'on' or 'off' is needed, found '1'"));
  EXPECT_THAT(faults, HasSubstr("m.cfg:6: cores: a whole number up to 4294967295 is needed"));
  EXPECT_EQ(machine_.cores, 16U);
}

TEST_F(Settings, LinesThatAreNoneAreRefused) {
  EXPECT_THAT(apply_text("cores\n"), HasSubstr("m.cfg:1: 'name = value' is needed, found 'cores'"));
  EXPECT_THAT(apply_text("= 3\n"), HasSubstr("m.cfg:1"));
  EXPECT_THAT(apply_text("cores = \n"), HasSubstr("m.cfg:1"));
}

TEST_F(Settings, NumbersThatDoNotFitAreRefused) {
  for (const std::string_view text :
       {"-1", "1.5", "0x10", "K", "18446744073709551616", "17179869184G", "1KK", ""}) {
    EXPECT_FALSE(set(parameters_[1], text)) << text;
  }
  for (const std::string_view text : {"nan", "inf", "-1", "1e30", ""})
    EXPECT_FALSE(set(parameters_[2], text)) << text;
}

TEST_F(Settings, WhatIsWrittenReadsBack) {
  machine_ = {3, (1U << 20) + 1, 0.1, false, Policy::kFifo};
  const std::string text = written(parameters_);
  EXPECT_THAT(text, HasSubstr("prefetch = off  # section 4.2\n"));
  machine_ = {};
  EXPECT_EQ(apply_text(text), "");
  EXPECT_EQ(written(parameters_), text);
}

}  // namespace
}  // namespace redflag::sim
