#include "cli/clang_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cli/clang_cuda_options.h"

namespace redflag::cli {
namespace {

using Words = std::vector<std::string>;

ClangPlan read_plan(const Words& words) {
  Result<ClangPlan> made = plan_clang(words);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : ClangPlan{};
}

std::string refused(const Words& words) {
  const Result<ClangPlan> made = plan_clang(words);
  return made ? "" : made.error().message;
}

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// `second` stands right behind `first`.
bool has_pair(const Words& words, const std::string& first, const std::string& second) {
  const auto at = std::find(words.begin(), words.end(), second);
  return at != words.end() && at != words.begin() && *(at - 1) == first;
}

const CudaFiles kCudaFiles{"/lib/cuda", "/bin/clang++-19"};

TEST(ClangCuda, GoalsAreThoseOfNvcc) {
  EXPECT_EQ(read_plan({"--version"}).goal, CudaGoal::kNothing);
  EXPECT_EQ(read_plan({"a.cu"}).goal, CudaGoal::kProgram);
  EXPECT_EQ(read_plan({"a.o", "b.a", "-o", "x"}).goal, CudaGoal::kProgram);
  EXPECT_EQ(read_plan({"-c", "a.cu"}).goal, CudaGoal::kObject);
  EXPECT_EQ(read_plan({"--compile", "a.cu"}).goal, CudaGoal::kObject);
  EXPECT_EQ(read_plan({"-ptx", "a.cu"}).goal, CudaGoal::kPtx);
  EXPECT_EQ(read_plan({"-fatbin", "a.cu"}).goal, CudaGoal::kFatBinary);
  EXPECT_EQ(read_plan({"-shared", "a.cu"}).goal, CudaGoal::kLibrary);
  EXPECT_EQ(read_plan({"-lib", "a.cu"}).goal, CudaGoal::kArchive);
  EXPECT_EQ(read_plan({"-E", "a.cu"}).goal, CudaGoal::kPreprocess);
  EXPECT_EQ(read_plan({"-MM", "a.cu"}).goal, CudaGoal::kDependencies);
}

TEST(ClangCuda, ValuesAreSpelledInEveryWayOfNvcc) {
  const Words expected{"-Iinclude", "-DN=4", "-std=c++17", "-O2", "-DM"};
  EXPECT_EQ(read_plan({"-Iinclude", "-DN=4", "-std=c++17", "-O2", "-DM", "a.cu"}).common, expected);
  EXPECT_EQ(read_plan({"-I", "include", "-D", "N=4", "-std", "c++17", "-O", "2", "-D", "M", "a.cu"})
                .common,
            expected);
  EXPECT_EQ(read_plan({"--include-path=include", "--define-macro=N=4", "--std=c++17",
                       "--optimize=2", "--define-macro", "M", "a.cu"})
                .common,
            expected);
  EXPECT_EQ(read_plan({"-o", "x", "a.cu"}).output, "x");
  EXPECT_EQ(read_plan({"--output-file=x", "a.cu"}).output, "x");
}

TEST(ClangCuda, TheNewestArchitectureThatTheEmulatedGpuKnowsIsTaken) {
  EXPECT_EQ(read_plan({"a.cu"}).arch, "75");
  EXPECT_EQ(read_plan({"-arch=sm_80", "a.cu"}).arch, "80");
  EXPECT_EQ(read_plan({"-arch", "sm_90a", "a.cu"}).arch, "90a");
  EXPECT_EQ(
      read_plan({"-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_86,code=sm_86",
                 "-gencode", "arch=compute_120,code=sm_120", "a.cu"})
          .arch,
      "86");
  EXPECT_EQ(read_plan({"-arch=native", "a.cu"}).arch, "75");
  EXPECT_EQ(read_plan({"-arch=sm_120", "a.cu"}).arch, "75");
}

TEST(ClangCuda, WordsForOtherToolsGoWhereTheyBelong) {
  const ClangPlan made =
      read_plan({"-Xcompiler", "-fopenmp,-Wall,-DX=1", "-Xlinker=-rpath=/y", "-lm", "-L/z", "a.cu",
                 "b.o", "-lcudart", "-Xptxas", "-v", "-lineinfo"});
  EXPECT_EQ(made.host, (Words{"-fopenmp", "-Wall"}));
  EXPECT_EQ(made.common, (Words{"-DX=1"}));
  EXPECT_EQ(made.link, (Words{"-fopenmp", "-Wall", "-Wl,-rpath=/y", "-L/z"}));
  ASSERT_EQ(made.items.size(), 3U);
  EXPECT_EQ(made.items[0].word, "-lm");
  EXPECT_TRUE(made.items[1].is_source);
  EXPECT_EQ(made.items[2].word, "b.o");
  EXPECT_TRUE(made.device.empty());
}

TEST(ClangCuda, EachPassHasItsWords) {
  const ClangPlan made =
      read_plan({"-DX", "-Xcompiler=-fPIC", "-fmad=false", "-arch=sm_80", "a.cu"});
  const Words device = device_command(made, kCudaFiles, made.items[0], "a.ptx");
  EXPECT_EQ(device.front(), kCudaFiles.clang);
  EXPECT_TRUE(contains(device, "--cuda-device-only") && contains(device, "-S") &&
              contains(device, "-DX"));
  EXPECT_TRUE(contains(device, "--cuda-gpu-arch=sm_80") && contains(device, "-ffp-contract=off"));
  EXPECT_TRUE(has_pair(device, "-Xclang", "/lib/cuda/libdevice.bc"));
  EXPECT_TRUE(has_pair(device, "-o", "a.ptx"));
  EXPECT_FALSE(contains(device, "-fPIC"));
  const Words host = host_command(made, kCudaFiles, made.items[0], "a.fatbin", "a.o");
  EXPECT_TRUE(contains(host, "--cuda-host-only") && contains(host, "-fPIC") &&
              contains(host, "-c"));
  EXPECT_TRUE(contains(host, "-g") && contains(host, "-DX"));
  EXPECT_TRUE(has_pair(host, "-Xclang", "a.fatbin"));
  EXPECT_FALSE(contains(host, "-ffp-contract=off"));
}

TEST(ClangCuda, SourcesOfTheHostAreCompiledOnce) {
  const ClangPlan made = read_plan({"a.cpp", "b.c", "-x", "cu", "c.cpp"});
  ASSERT_EQ(made.sources(), 3U);
  EXPECT_EQ(made.items[0].kind, SourceKind::kCxx);
  EXPECT_EQ(made.items[1].kind, SourceKind::kC);
  EXPECT_EQ(made.items[2].kind, SourceKind::kCuda);
  const Words command = host_command(made, kCudaFiles, made.items[0], "", "a.o");
  EXPECT_TRUE(has_pair(command, "-x", "c++"));
  EXPECT_FALSE(contains(command, "--cuda-host-only"));
}

TEST(ClangCuda, ObjectsAreLinkedInTheirOrderWithOurRuntimeLibrary) {
  const ClangPlan made = read_plan({"a.cu", "-lfirst", "b.cu", "c.o", "-o", "x"});
  const Words objects{"1.o", "2.o"};
  const Words expected{
      "/bin/clang++-19",      "1.o", "-lfirst", "2.o", "c.o", "-L/lib/cuda", "-l:libcudart.so.13",
      "-Wl,-rpath,/lib/cuda", "-o",  "x"};
  EXPECT_EQ(link_command(made, kCudaFiles, objects), expected);
  const ClangPlan archive = read_plan({"-lib", "a.cu", "b.cu", "-o", "x.a"});
  EXPECT_EQ(link_command(archive, kCudaFiles, objects), (Words{"ar", "rcs", "x.a", "1.o", "2.o"}));
}

TEST(ClangCuda, OutputsAreNamedAsNvccNamesThem) {
  const ClangPlan made = read_plan({"-c", "dir/a.cu"});
  EXPECT_EQ(output_of(made, made.items[0], ".o"), "a.o");
  const ClangPlan folder = read_plan({"-c", "-odir", "out", "dir/a.cu"});
  EXPECT_EQ(output_of(folder, folder.items[0], ".o"), "out/a.o");
}

TEST(ClangCuda, WhatCannotBeServedIsRefusedWithTheRemedy) {
  for (const Words& words : std::vector<Words>{{"-dc", "a.cu"},
                                               {"-rdc=true", "-c", "a.cu"},
                                               {"-rdc", "true", "a.cu", "b.cu"},
                                               {"-dlink", "a.o"},
                                               {"-cubin", "a.cu"},
                                               {"a.ptx"},
                                               {"-c", "a.cu", "b.cu", "-o", "x.o"},
                                               {"-run", "a.cu"}}) {
    const std::string said = refused(words);
    EXPECT_TRUE(said.starts_with("needed: ")) << words.front() << said;
    EXPECT_NE(said.find("\nfound: "), std::string::npos) << said;
    EXPECT_NE(said.find("\nto mend it: "), std::string::npos) << said;
  }
  EXPECT_EQ(refused({"-rdc=true", "a.cu"}), "");  // one source: nothing to link
}

TEST(ClangCuda, FilesOfOptionsAreRead) {
  const std::string file = ::testing::TempDir() + "/clang_cuda_test.options";
  std::ofstream(file) << "-arch=sm_86 -DX -o y\n";
  for (const Words& words : std::vector<Words>{{"-optf", file, "a.cu"}, {"@" + file, "a.cu"}}) {
    const ClangPlan made = read_plan(words);
    EXPECT_EQ(made.arch, "86");
    EXPECT_EQ(made.output, "y");
  }
  EXPECT_NE(refused({"-optf", "/nowhere/options", "a.cu"}), "");
}

// No word may be taken for a source, whatever its row says.
TEST(ClangCuda, EveryRowOfTheTableIsUnderstoodInBothSpellings) {
  for (const NvccOption& each : kNvccOptions) {
    for (const std::string_view spelling : {each.name, each.other}) {
      if (spelling.empty() || each.use == NvccUse::kRefused || each.name == "-optf") continue;
      Words words{std::string(spelling)};
      if (each.has_value) words.emplace_back("value");
      words.emplace_back("a.cu");
      const ClangPlan made = read_plan(words);
      const std::size_t items = each.name == "-l" ? 2 : 1;
      EXPECT_EQ(made.items.size(), each.name == "-x" ? 1 : items) << spelling;
    }
  }
}

}  // namespace
}  // namespace redflag::cli
