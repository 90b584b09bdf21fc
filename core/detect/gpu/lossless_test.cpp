// Compression loses nothing: on random programs, compressed clocks and shadow say the same as plain ones.
//
// For every byte the first access that races must be the same one, and no access may be called racy that
// the plain model calls ordered. (After the first race of a byte, the shadow may have forgotten
// what the plain one still knows.) A failing seed is printed; REDFLAG_SEED=n replays it alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "core/detect/gpu/judge.h"
#include "core/detect/gpu/model.h"
#include "core/detect/gpu/plain.h"
#include "core/detect/gpu/random_changes.h"
#include "core/detect/gpu/shadow.h"
#include "core/detect/gpu/warp_clocks.h"

namespace redflag::gpu {
namespace {

// Which steps race on which byte.
template <typename M>
std::map<std::uint64_t, std::set<std::size_t>> racy(const RandomProgram& program,
                                                    const PtxModelOptions& options) {
  M model(options);
  std::map<std::uint64_t, std::set<std::size_t>> out;
  std::size_t index = 0;
  model.on_access = [&](std::uint64_t address, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out[address + i].insert(index);
  };
  program.run(model, [&](std::size_t step) { index = step; });
  return out;
}

class Lossless : public ::testing::TestWithParam<Strictness> {};

TEST_P(Lossless, FirstRaceOfEveryByte) {
  const char* replay = std::getenv("REDFLAG_SEED");
  const std::uint64_t from = replay == nullptr ? 1 : std::strtoull(replay, nullptr, 10);
  const char* count = std::getenv("REDFLAG_SEEDS");  // more than usual
  const std::uint64_t most = count == nullptr ? 5000 : std::strtoull(count, nullptr, 10);
  const std::uint64_t to = replay == nullptr ? most : from;
  std::size_t racing = 0;
  std::size_t clean = 0;
  for (std::uint64_t number = 2 * from; number <= 2 * to + 1; ++number) {
    const std::uint64_t seed = number / 2;
    // Every program as it is, and its first launch with plain accesses of what atomics use.
    RandomProgram program(seed);
    if (number % 2 != 0) program = changed(launches_of(program).front(), seed);
    const PtxModelOptions options{.strictness = GetParam(), .explain = false};
    const auto plain = racy<Model<PlainClocks, PlainShadow>>(program, options);
    const auto fast = racy<Model<WarpClocks, Shadow>>(program, options);
    for (const auto& [byte, steps] : plain) {
      const auto found = fast.find(byte);
      ASSERT_TRUE(found != fast.end())
          << "REDFLAG_SEED=" << seed << ": byte " << std::hex << byte << std::dec
          << " races at step " << *steps.begin() << ", and is not found\n"
          << program.text();
      ASSERT_EQ(*found->second.begin(), *steps.begin())
          << "REDFLAG_SEED=" << seed << ": first race of byte " << std::hex << byte << std::dec
          << "\n"
          << program.text();
    }
    for (const auto& [byte, steps] : fast) {
      const auto found = plain.find(byte);
      ASSERT_TRUE(found != plain.end())
          << "REDFLAG_SEED=" << seed << ": byte " << std::hex << byte << std::dec
          << " is called racy at step " << *steps.begin() << ", and is not\n"
          << program.text();
      for (const std::size_t step : steps) {
        ASSERT_TRUE(found->second.contains(step))
            << "REDFLAG_SEED=" << seed << ": step " << step << "\n"
            << program.text();
      }
    }
    racing += plain.empty() ? 0 : 1;
    clean += plain.empty() ? 1 : 0;
  }
  if (replay != nullptr) return;
  // A generator that only makes one kind would prove little.
  EXPECT_GT(racing, (to - from) / 10);
  EXPECT_GT(clean, (to - from) / 50);
  RecordProperty("racing", static_cast<int>(racing));
}

INSTANTIATE_TEST_SUITE_P(Levels, Lossless, ::testing::Values(Strictness::kCuda, Strictness::kPtx),
                         [](const auto& one) {
                           return one.param == Strictness::kCuda ? "cuda" : "ptx";
                         });

}  // namespace
}  // namespace redflag::gpu
