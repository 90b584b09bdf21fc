// Sizes of blocks and clusters: what a kernel was compiled for against what a launch asks for.
#include "frontends/cuda/emulate/testing.h"

namespace redflag::cuda {
namespace {

using testing::address;
using testing::Gpu;
using testing::kernel;

// A kernel with directives, launched with and without a cluster.
Refusal refusal_of(const std::string& directives, const LaunchConfig& config, bool& ran) {
  std::string text = kernel("");
  text.insert(text.find("\n{"), "\n" + directives);
  Gpu gpu(text);
  gpu.find("k");
  const std::vector<std::byte> params(24);
  Fault fault;
  ran = gpu.device.launch(gpu.kernel, config, params, fault).has_value();
  return fault.refusal;
}

TEST(LaunchSizes, ThatAKernelWasCompiledForAreHonoured) {
  struct Row {
    const char* directives;
    LaunchConfig config;
    bool runs;
    Refusal refusal;
  };
  const LaunchConfig one{.grid = {4}, .block = {64}}, small{.grid = {4}, .block = {32}};
  const LaunchConfig two{.grid = {4}, .block = {64}, .cluster = {2}};
  const LaunchConfig four{.grid = {4}, .block = {64}, .cluster = {4}};
  const Row rows[] = {
      {".reqntid 64, 1, 1", one, true, {}},
      {".reqntid 64, 1, 1", small, false, Refusal::kValue},
      {".reqntid 8, 8", one, false, Refusal::kValue},
      {".maxntid 32", one, false, Refusal::kValue},
      {".maxntid 64", one, true, {}},
      {".explicitcluster\n.reqnctapercluster 2, 1, 1", one, true, {}},
      {".explicitcluster\n.reqnctapercluster 2, 1, 1", two, true, {}},
      {".explicitcluster\n.reqnctapercluster 2, 1, 1", four, false, Refusal::kClusterSize},
      {".explicitcluster\n.reqnctapercluster 3, 1, 1", one, false, Refusal::kClusterSize},
      {".maxclusterrank 2", two, true, {}},
      {".maxclusterrank 2", four, false, Refusal::kClusterSize},
      {".blocksareclusters\n.reqntid 64\n.reqnctapercluster 3, 1, 1", one, true, {}},
      {"", {.grid = {4}, .block = {1025}}, false, Refusal::kConfiguration},
  };
  for (const Row& row : rows) {
    bool ran = false;
    const Refusal refusal = refusal_of(row.directives, row.config, ran);
    EXPECT_EQ(ran, row.runs) << row.directives;
    if (!row.runs) {
      EXPECT_EQ(refusal, row.refusal) << row.directives;
    }
  }
}

TEST(LaunchSizes, OfClustersComeFromTheKernel) {
  for (const bool counts_clusters : {false, true}) {
    std::string text = kernel(
        "mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %nctaid.x; mad.lo.u32 %r1, %r1, 100, %r2;"
        "st.global.u32 [%out], %r1;");
    text.insert(text.find("\n{"),
                std::string("\n.reqntid 32\n.reqnctapercluster 2, 1, 1\n") +
                    (counts_clusters ? ".blocksareclusters" : ".explicitcluster"));
    Gpu gpu(text);
    auto* const out = gpu.array<std::uint32_t>(1);
    gpu.launch("k", {.grid = {4}, .block = {32}}, address(out), std::uint64_t{0}, 0U);
    EXPECT_EQ(out[0], counts_clusters ? 208U : 204U);
  }
}

}  // namespace
}  // namespace redflag::cuda
