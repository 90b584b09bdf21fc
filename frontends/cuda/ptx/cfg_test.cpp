#include "frontends/cuda/ptx/cfg.h"

#include <gmock/gmock.h>

#include <random>

#include "frontends/cuda/ptx/testing.h"

namespace redflag::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kernel;
using testing::parsed;

constexpr auto kEnd = BlockId::kNone;
BlockId b(std::uint32_t i) {
  return static_cast<BlockId>(i);
}

std::vector<BlockId> post_dominators(const std::string& body) {
  const Module module = parsed(kernel(body));
  const Cfg cfg(module, module.functions.front());
  std::vector<BlockId> out;
  for (const Block& each : cfg.blocks()) out.push_back(each.post_dominator);
  return out;
}

TEST(Cfg, Diamond) {
  const Module module = parsed(
      kernel("@%p0 bra ELSE;\nmov.b32 %r0, 1;\nbra.uni JOIN;\nELSE: mov.b32 %r0, 2;\nJOIN: ret;"));
  const Cfg cfg(module, module.functions.front());
  ASSERT_EQ(cfg.blocks().size(), 4U);
  EXPECT_THAT(cfg.blocks()[0].successors, ElementsAre(b(1), b(2)));
  EXPECT_THAT(cfg.blocks()[3].predecessors, ElementsAre(b(1), b(2)));
  EXPECT_EQ(cfg.blocks()[0].post_dominator, b(3));
  EXPECT_EQ(cfg.blocks()[3].dominator, b(0));
  EXPECT_EQ(cfg.reconvergence(0), 4U);
  EXPECT_EQ(cfg.reconvergence(4), 5U);
  EXPECT_THAT(describe(module.functions.front(), cfg),
              HasSubstr("JOIN -> end; post-dominator end"));
}

TEST(Cfg, LoopsReturnsAndUnusedLabels) {
  // A label that no branch names is no reason for a block.
  EXPECT_EQ(post_dominators("A: mov.b32 %r0, 1;\nB: ret;").size(), 1U);
  EXPECT_THAT(post_dominators("L: @%p0 bra L;\nret;"), ElementsAre(b(1), kEnd));
  // One side leaves: threads meet at the end only.
  EXPECT_THAT(post_dominators("@%p0 bra OUT;\nmov.b32 %r0, 1;\nret;\nOUT: exit;"),
              ElementsAre(kEnd, kEnd, kEnd));
  EXPECT_THAT(post_dominators("@%p0 ret;\nmov.b32 %r0, 1;"), ElementsAre(kEnd, kEnd));
}

TEST(Cfg, EndlessLoopsReconvergeInside) {
  EXPECT_THAT(post_dominators("L: @%p0 bra E;\nmov.b32 %r0, 1;\nE: bra L;"),
              ElementsAre(b(2), b(2), kEnd));
}

TEST(Cfg, TablesAndCallsThatNeverReturn) {
  const Module module = parsed(testing::read(std::string(TEST_FILES) + "/isa.ptx"));
  const Function& flow = *module.find_function("flow");
  const Cfg cfg(module, flow);
  const auto table = std::find_if(flow.body.instructions.begin(), flow.body.instructions.end(),
                                  [](const auto& i) { return i.op == Op::kBrxIdx; });
  const Block& from =
      cfg.block(cfg.block_of(static_cast<std::uint32_t>(table - flow.body.instructions.begin())));
  EXPECT_EQ(from.successors.size(), 3U);  // ZERO twice
  const Function& never = *module.find_function("never");
  EXPECT_TRUE(Cfg(module, never).blocks().front().leaves);
}

TEST(Cfg, NoInstructions) {
  EXPECT_TRUE(post_dominators("").empty());
  const Module module = parsed(kernel("bra L; L:"));
  EXPECT_TRUE(Cfg(module, module.functions.front()).blocks().front().leaves);
}

// The definition itself: a dominates b when b is not reached without a.
std::vector<std::uint32_t> slow_dominators(const std::vector<std::vector<std::uint32_t>>& graph) {
  const auto reached_without = [&graph](std::uint32_t removed) {
    std::vector<bool> seen(graph.size());
    std::vector<std::uint32_t> stack;
    if (removed != 0) {
      seen[0] = true;
      stack.push_back(0);
    }
    while (!stack.empty()) {
      const std::uint32_t node = stack.back();
      stack.pop_back();
      for (const std::uint32_t to : graph[node]) {
        if (to == removed || seen[to]) continue;
        seen[to] = true;
        stack.push_back(to);
      }
    }
    return seen;
  };
  const auto size = static_cast<std::uint32_t>(graph.size());
  const std::vector<bool> reachable = reached_without(kNoNode);
  std::vector<std::vector<bool>> without;
  for (std::uint32_t i = 0; i < size; ++i) without.push_back(reached_without(i));
  const auto dominates = [&](std::uint32_t a, std::uint32_t x) { return a != x && !without[a][x]; };
  std::vector<std::uint32_t> out(size, kNoNode);
  for (std::uint32_t x = 1; x < size; ++x) {
    if (!reachable[x]) continue;
    for (std::uint32_t a = 0; a < size; ++a) {
      if (!reachable[a] || !dominates(a, x)) continue;
      // The immediate one is dominated by all others.
      if (out[x] == kNoNode || dominates(out[x], a)) out[x] = a;
    }
  }
  return out;
}

TEST(Dominators, AgreeWithTheDefinition) {
  for (unsigned round = 0; round < 2000; ++round) {
    std::mt19937 random(round);
    std::vector<std::vector<std::uint32_t>> graph(2 + random() % 12);
    for (auto& edges : graph) {
      for (unsigned i = random() % 3; i > 0; --i) {
        edges.push_back(static_cast<std::uint32_t>(random() % graph.size()));
      }
    }
    ASSERT_EQ(immediate_dominators(graph, 0), slow_dominators(graph)) << round;
  }
}

TEST(Dominators, LongChainsNeedNoStack) {
  std::vector<std::vector<std::uint32_t>> graph(300000);
  for (std::uint32_t i = 0; i + 1 < graph.size(); ++i) graph[i] = {i + 1, 0};
  EXPECT_EQ(immediate_dominators(graph, 0).back(), graph.size() - 2);
}

}  // namespace
}  // namespace redflag::ptx
