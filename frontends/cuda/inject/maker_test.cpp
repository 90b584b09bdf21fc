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
    return {Cache(folder_.string()), std::move(version),
            [this](ptx::Module& module, const Maker::Piece&) {
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

// A kernel for each module that begins with a version.
Result<rewrite::Rewritten> with_a_kernel(const ptx::Module& module, const Maker::Piece& piece,
                                         bool known) {
  rewrite::Rewritten made;
  made.ptx = *module.source + "// rewritten\n";
  made.sites.resize(piece.sites_before + 3);
  made.sites.back().text = module.path;
  made.kernels.emplace_back();
  made.kernels.back().name = module.path;
  made.kernels.back().checked = true;
  made.kernels.back().sync.known = known;
  made.counts.hooks = piece.sm;
  return made;
}

TEST_F(MakerTest, ALinkIsOneSequenceOfSites) {
  const Maker maker(Cache(folder_.string()), "1",
                    [](ptx::Module& module, const Maker::Piece& piece) {
                      EXPECT_TRUE(piece.linked);
                      return with_a_kernel(module, piece, false);
                    });
  const std::string newer = ".version 8.0\n.target sm_90a\n.address_size 64\n";
  int links = 0;
  const auto link = [&](const std::vector<Input>& inputs) -> Result<std::string> {
    ++links;
    return "code of " + inputs[0].bytes + "and " + inputs[1].bytes;
  };
  const std::vector<Input> inputs{{kJitInputPtx, kPtx, "a"}, {kJitInputPtx, newer, "b"}};
  EXPECT_FALSE(maker.linked_earlier("key", {"test", "sm_90"}));
  const Result<Made> made = maker.link(inputs, "key", {"test", "sm_90"}, link);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->image,
            std::string("code of ") + kPtx + "// rewritten\nand " + newer + "// rewritten\n");
  ASSERT_EQ(made->code->sites.size(), 5U);
  EXPECT_EQ(made->code->sites[2].text, "a");
  EXPECT_EQ(made->code->sites[4].text, "b");
  EXPECT_EQ(made->code->kernels.size(), 2U);
  EXPECT_EQ(made->code->counts.hooks, 180U);  // both have the runtime of the newer target
  ASSERT_TRUE(maker.link(inputs, "key", {"test", "sm_90"}, link));
  EXPECT_EQ(links, 1);
  const std::optional<Made> earlier = maker.linked_earlier("key", {"test", "sm_90"});
  ASSERT_TRUE(earlier);
  EXPECT_EQ(earlier->image, made->image);
  EXPECT_FALSE(maker.linked_earlier("key", {"test", "sm_80"}));
}

TEST_F(MakerTest, MachineCodeIsLinkedBesideWhatCannotCallIt) {
  for (const bool known : {false, true}) {
    const Maker maker(Cache(""), "1", [&](ptx::Module& module, const Maker::Piece& piece) {
      return with_a_kernel(module, piece, known);
    });
    const auto link = [](const std::vector<Input>& inputs) {
      return Result<std::string>(inputs[1].bytes);
    };
    const Result<Made> made = maker.link({{kJitInputPtx, kPtx, "a"}, {kJitInputCode, "code", "b"}},
                                         "", {"test", "sm_90"}, link);
    ASSERT_EQ(bool(made), known);
    if (known) {
      EXPECT_EQ(made->image, "code");
      EXPECT_EQ(made->code->note, "b: machine code only, no PTX");
    } else {
      EXPECT_NE(made.error().message.find("b: machine code only"), std::string::npos);
    }
  }
}

TEST_F(MakerTest, WithoutACompilerTheTextIsTheImage) {
  const Result<Made> made = maker().make(
      kPtx, {"test", "sm_90"}, [](const std::string&) { return Result<std::string>(""); });
  ASSERT_TRUE(made);
  EXPECT_EQ(made->image, made->code->ptx);
}

}  // namespace
}  // namespace redflag::inject
