// Random programs through the PARSNIP model, compared with the oracle.
//
// REDFLAG_PROGRAMS (default 4000) programs, from seed REDFLAG_SEED (default 1) on, each through three
// of the machines of parsnip_variants.h in turn. A failure prints the seed, the disagreement and a
// minimal trace.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/generate/random_program.h"
#include "tests/oracle/compare.h"
#include "tests/oracle/parsnip_variants.h"

namespace redflag {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(ParsnipDifferential, AgreesWithTheOracle) {
  const std::uint64_t first = setting("REDFLAG_SEED", 1);
  const std::uint64_t programs = setting("REDFLAG_PROGRAMS", 4000);
  std::uint64_t racy = 0;
  std::uint64_t race_free = 0;
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    const std::vector<Event> trace = random_program(seed, shape_of_seed(seed));
    CompareOptions options;
    options.volatile_meaning = seed % 3 == 0 ? VolatileMeaning::kSync : VolatileMeaning::kData;
    (racy_bytes(trace, options) == 0 ? race_free : racy) += 1;
    for (std::uint64_t k = 0; k < 3; ++k) {
      const auto& variants = parsnip_variants();
      const std::string_view name = variants[(seed + k * 3) % variants.size()].name;
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
  std::printf("%llu programs from seed %llu: %llu racy, %llu race-free\n",
              static_cast<unsigned long long>(programs), static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(racy), static_cast<unsigned long long>(race_free));
  if (programs >= 1000) {
    EXPECT_GT(racy, programs / 4);
    EXPECT_GT(race_free, programs / 10);
  }
}

}  // namespace
}  // namespace redflag
