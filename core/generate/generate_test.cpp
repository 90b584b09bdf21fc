#include <gtest/gtest.h>

#include "core/detect/slimfast/slimfast.h"
#include "core/detect/testing.h"
#include "core/generate/random_program.h"
#include "core/generate/workload.h"

namespace redflag {
namespace {

std::vector<Event> whole(const WorkloadOptions& options, std::size_t step) {
  Workload workload(options);
  std::vector<Event> all;
  std::vector<Event> some(step);
  while (const std::size_t n = workload.fill(some))
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(n));
  return all;
}

TEST(Workload, IsTheSameHoweverItIsAskedForAndDiffersBySeed) {
  for (const ProfileInfo& p : kProfiles) {
    WorkloadOptions options;
    options.profile = p.profile;
    options.events = 30000;
    options.working_set = 64 << 10;
    const std::vector<Event> trace = whole(options, 1000);
    EXPECT_EQ(trace, whole(options, 77)) << p.name;
    EXPECT_GE(trace.size(), options.events);
    options.seed = 2;
    EXPECT_NE(trace, whole(options, 1000)) << p.name;
  }
}

TEST(Workload, IsRaceFreeAndNamed) {
  for (const ProfileInfo& p : kProfiles) {
    WorkloadOptions options;
    options.profile = p.profile;
    options.events = 200000;
    options.working_set = 64 << 10;
    Bench<slimfast::SlimFast> bench;
    const std::vector<Event> trace = whole(options, 4096);
    bench.run(trace);
    EXPECT_TRUE(bench.races().empty()) << p.name;
    const Sources sources = Workload::sources(options);
    for (const Event& e : trace) ASSERT_NE(sources.node(e.source), nullptr);
  }
}

// The profiles must be what their names say: the paper's column 8, and how often metadata is
// shared.
TEST(Workload, ProfilesDifferInRedundancy) {
  const auto reuse = [](Profile profile) {
    WorkloadOptions options;
    options.profile = profile;
    options.events = 2000000;
    options.working_set = 1 << 20;
    Bench<slimfast::SlimFast> bench;
    bench.run(whole(options, 65536));
    return stat(bench.detector(), "EP reuse");
  };
  EXPECT_GT(reuse(Profile::kHighRedundancy), 95);
  EXPECT_LT(reuse(Profile::kLowRedundancy), 20);
}

TEST(RandomProgram, SameSeedSameProgram) {
  EXPECT_EQ(random_program(5, shape_of_seed(5)), random_program(5, shape_of_seed(5)));
  EXPECT_NE(random_program(5, shape_of_seed(5)), random_program(25, shape_of_seed(5)));
}

TEST(RandomProgram, UsesEveryKindOfEvent) {
  std::uint64_t seen[kEventKindCount] = {};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const Event& e : random_program(seed, shape_of_seed(seed)))
      ++seen[static_cast<int>(e.kind)];
  }
  for (const EventKindInfo& k : kEventKinds) {
    EXPECT_GT(seen[static_cast<int>(k.kind)], 20U) << k.name;
  }
}

}  // namespace
}  // namespace redflag
