#include "frontends/cuda/inject/maker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace redflag::inject {
namespace {

constexpr const char* kPtx = ".version 8.0\n.target sm_80\n.address_size 64\n";

class MakerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("redflag-maker-") + test->name() + std::to_string(::getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Maker maker(std::string version = "1") {
    return {Cache(folder_.string()), std::move(version), [this](ptx::Module& module) {
              ++rewritings_;
              rewrite::Rewritten made;
              made.ptx = *module.source + "// rewritten\n";
              return Result<rewrite::Rewritten>(made);
            }};
  }
  Result<Made> make(const Maker& maker, std::string gpu = "sm_90") {
    return maker.make(kPtx, {"test", std::move(gpu)}, [this](const std::string& ptx) {
      ++compilations_;
      return compiled_ ? Result<std::string>("code of " + ptx) : fail("ptxas says no");
    });
  }

  std::filesystem::path folder_;
  int rewritings_ = 0;
  int compilations_ = 0;
  bool compiled_ = true;
};

TEST_F(MakerTest, TheSecondTimeNothingIsMade) {
  const Result<Made> first = make(maker());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->image, std::string("code of ") + kPtx + "// rewritten\n");
  const Result<Made> second = make(maker());
  ASSERT_TRUE(second);
  EXPECT_EQ(second->image, first->image);
  EXPECT_EQ(second->code->ptx, first->code->ptx);
  EXPECT_EQ(rewritings_, 1);
  EXPECT_EQ(compilations_, 1);
}

TEST_F(MakerTest, AnotherGpuIsCompiledForAndAnotherVersionIsRewritten) {
  (void)make(maker());
  (void)make(maker(), "sm_80");
  EXPECT_EQ(rewritings_, 1);
  EXPECT_EQ(compilations_, 2);
  (void)make(maker("2"));
  EXPECT_EQ(rewritings_, 2);
  EXPECT_EQ(compilations_, 3);
}

TEST_F(MakerTest, FaultsAreToldAndNotKept) {
  compiled_ = false;
  const Result<Made> first = make(maker());
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().message, "ptxas says no");
  compiled_ = true;
  EXPECT_TRUE(make(maker()));
  EXPECT_FALSE(maker().make("no ptx", {"test", "sm_90"},
                            [](const std::string&) { return Result<std::string>("x"); }));
}

TEST_F(MakerTest, WithoutACompilerTheTextIsTheImage) {
  const Result<Made> made = maker().make(
      kPtx, {"test", "sm_90"}, [](const std::string&) { return Result<std::string>(""); });
  ASSERT_TRUE(made);
  EXPECT_EQ(made->image, made->code->ptx);
}

}  // namespace
}  // namespace redflag::inject
