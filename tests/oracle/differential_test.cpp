// Random programs through every precise detector, compared with the oracle.
//
// REDFLAG_PROGRAMS (default 6000) programs, from seed REDFLAG_SEED (default 1) on. A failure prints
// the seed, the disagreement and a minimal trace in the text form: paste it into a file and
// `redflag replay` it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/detect/registry.h"
#include "core/generate/random_program.h"
#include "core/trace/check.h"
#include "tests/oracle/compare.h"

namespace redflag {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(Differential, PreciseDetectorsAgreeWithTheOracle) {
  const std::uint64_t first = setting("REDFLAG_SEED", 1);
  const std::uint64_t programs = setting("REDFLAG_PROGRAMS", 6000);
  std::uint64_t racy = 0;
  std::uint64_t race_free = 0;
  std::uint64_t events = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    const std::vector<Event> trace = random_program(seed, shape_of_seed(seed));
    CompareOptions options;
    options.volatile_meaning = seed % 3 == 0 ? VolatileMeaning::kSync : VolatileMeaning::kData;
    events += trace.size();
    (racy_bytes(trace, options) == 0 ? race_free : racy) += 1;
    std::vector<std::string_view> names;
    // The runtime's detector, driven by one thread; it maps much memory to begin with, so not always.
    if (seed % 5 < 2) names.push_back("live");
    if (seed % 5 == 2) names.push_back("live-aliases");
    for (const DetectorInfo& detector : kDetectors) {
      if (detector.precise && detector.name != "oracle") names.push_back(detector.name);
    }
    for (const std::string_view name : names) {
      const std::string problem = disagreement(name, trace, options);
      if (problem.empty()) continue;
      const std::vector<Event> minimal = shrink(name, trace, options);
      FAIL() << "REDFLAG_SEED=" << seed << " REDFLAG_PROGRAMS=1: " << problem << "\nminimal trace ("
             << minimal.size() << " events), volatile is "
             << (options.volatile_meaning == VolatileMeaning::kSync ? "sync" : "data") << ": "
             << disagreement(name, minimal, options) << "\n"
             << to_text(minimal);
    }
  }
  std::printf("%llu programs, %llu events: %llu racy, %llu race-free\n",
              static_cast<unsigned long long>(programs), static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(racy), static_cast<unsigned long long>(race_free));
  // A generator that makes only one sort would test only half.
  if (programs >= 1000) {
    EXPECT_GT(racy, programs / 4);
    EXPECT_GT(race_free, programs / 10);
  }
}

// `lockset` answers another question, so it disagrees: a good patient to try the shrinker on.
TEST(Differential, ShrinkingKeepsTheDisagreementAndLittleElse) {
  int shrunk = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const std::vector<Event> trace = random_program(seed, shape_of_seed(seed));
    if (disagreement("lockset", trace).empty()) continue;
    const std::vector<Event> minimal = shrink("lockset", trace);
    EXPECT_FALSE(disagreement("lockset", minimal).empty()) << "seed " << seed;
    EXPECT_LE(minimal.size(), 9U) << to_text(minimal);
    ++shrunk;
  }
  EXPECT_GT(shrunk, 10);
}

TEST(Differential, ShardsAndSweepsChangeNothing) {
  const std::uint64_t first = setting("REDFLAG_SEED", 1);
  const std::uint64_t programs = setting("REDFLAG_PROGRAMS", 6000) / 10 + 1;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    // Several programs in a row, each on pages of its own, so that there is something to share out.
    std::vector<Event> trace;
    std::uint32_t threads = 0;
    for (std::uint64_t part = 0; part < 6; ++part) {
      ProgramShape shape = shape_of_seed(seed);
      shape.style = ProgramStyle::kChaotic;
      std::uint32_t most = 0;
      for (Event e : random_program(seed * 6 + part, shape)) {
        most = std::max(most, raw(e.thread));
        if (e.kind == EventKind::kFork || e.kind == EventKind::kJoin) e.object += threads;
        if (is_access(e.kind)) e.object += part << 20;
        e.thread = ThreadId{raw(e.thread) + threads};
        trace.push_back(e);
      }
      threads += most + 100;
    }
    for (const DetectorInfo& detector : kDetectors) {
      if (!detector.finds_races || detector.name == "oracle") continue;
      ASSERT_EQ(shard_disagreement(detector.name, trace), "") << "REDFLAG_SEED=" << seed;
    }
  }
}

TEST(Differential, ProgramsAreWellFormed) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const std::vector<Event> trace = random_program(seed, shape_of_seed(seed));
    std::string problems;
    StreamChecker checker({.roots_allowed = false},
                          [&problems](const StreamReport& r) { problems += r.message + "\n"; });
    checker.add(trace, Sources{});
    ASSERT_EQ(checker.count(Severity::kError), 0U) << "seed " << seed << "\n" << problems;
  }
}

}  // namespace
}  // namespace redflag
