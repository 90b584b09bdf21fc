#include "cli/nvcc.h"

#include <gtest/gtest.h>

#include <fstream>

namespace redflag::cli {
namespace {

NvccPlan plan(const std::vector<std::string>& words) {
  return plan_nvcc(words);
}

struct ArchCase {
  std::vector<std::string> words;
  std::string add_ptx;
};

TEST(Nvcc, PtxIsAddedWhereTheFlagsEmbedNone) {
  const std::vector<ArchCase> cases{
      {{"a.cu"}, ""},                 // nvcc's default has PTX
      {{"-arch=sm_80", "a.cu"}, ""},  // stands for both
      {{"-arch", "sm_90a", "a.cu"}, ""},
      {{"-arch=native", "a.cu"}, ""},
      {{"-arch=all-major", "a.cu"}, "90"},  // PTX of the newest only, too new
      {{"-arch=sm_120", "a.cu"}, "90"},
      {{"-arch=compute_80", "-code=sm_80", "a.cu"}, "80"},
      {{"-arch=compute_80", "-code=sm_80,compute_80", "a.cu"}, ""},
      {{"-gencode", "arch=compute_80,code=sm_80", "a.cu"}, "80"},
      {{"-gencode=arch=compute_75,code=sm_75", "--generate-code", "arch=compute_86,code=sm_86",
        "a.cu"},
       "86"},
      {{"-gencode", "arch=compute_80,code=[sm_80,compute_80]", "a.cu"}, ""},
      {{"-gencode", "arch=compute_80,code=\"sm_80,compute_80\"", "a.cu"}, ""},
      {{"-gencode", "arch=compute_90a,code=sm_90a", "a.cu"}, "90a"},
      {{"-gencode", "arch=compute_100,code=compute_100", "a.cu"}, "90"},
      {{"-gencode", "arch=compute_80,code=compute_80", "a.cu"}, ""},
  };
  for (const ArchCase& each : cases) {
    std::string line;
    for (const std::string& word : each.words) line += word + " ";
    EXPECT_EQ(plan(each.words).add_ptx, each.add_ptx) << line;
  }
}

TEST(Nvcc, AnotherCudartIsLeftOutAndEverythingElseKept) {
  const NvccPlan made =
      plan({"-O2", "--cudart=static", "a.cu", "-cudart", "none", "-o", "a", "-Xcompiler", "-Wall"});
  const std::vector<std::string> expected{"-O2", "a.cu", "-o", "a", "-Xcompiler", "-Wall"};
  EXPECT_EQ(made.words, expected);
  EXPECT_TRUE(made.has_input);
}

TEST(Nvcc, ValuesAreNotInputs) {
  EXPECT_FALSE(plan({"--version"}).has_input);
  EXPECT_FALSE(plan({"-I", "include", "-o", "a"}).has_input);
  EXPECT_TRUE(plan({"-I", "include", "a.cu"}).has_input);
}

TEST(Nvcc, LinesAndDebugInformationAreAddedOnce) {
  const std::vector<std::string> flags = nvcc_flags(plan({"a.cu"}), "/lib/cuda");
  const std::vector<std::string> expected{"-cudart", "shared",   "-lineinfo",
                                          "-g",      "-Xlinker", "-rpath=/lib/cuda"};
  EXPECT_EQ(flags, expected);
  const std::vector<std::string> fewer = nvcc_flags(plan({"-G", "-g", "a.cu"}), "");
  EXPECT_EQ(fewer, (std::vector<std::string>{"-cudart", "shared"}));
}

TEST(Nvcc, FilesOfOptionsAreLookedInto) {
  const std::string file = ::testing::TempDir() + "/nvcc_test.options";
  std::ofstream(file) << "-gencode arch=compute_80,code=sm_80 -lineinfo\n";
  const NvccPlan made = plan({"-optf", file, "a.cu"});
  EXPECT_EQ(made.add_ptx, "80");
  EXPECT_TRUE(made.has_lines);
  EXPECT_EQ(made.words.size(), 3U);  // passed on, not expanded
}

TEST(Nvcc, AnAbsentCompilerIsToldWithTheRemedy) {
  const Result<std::string> none = find_nvcc("/nowhere/nvcc");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("/nowhere/nvcc"), std::string::npos);
  EXPECT_NE(none.error().message.find("REDFLAG_NVCC"), std::string::npos);
}

}  // namespace
}  // namespace redflag::cli
