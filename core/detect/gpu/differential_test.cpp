// scord and iguard against ptx_model on random kernels: every disagreement has a documented cause.
//
// Seeds 1 to 5000, each program launch by launch; the judge (judge.h) explains (difference.h) or the test fails
// and prints the seed. REDFLAG_SEED=n replays one alone, REDFLAG_SEEDS=n makes more. Causes are
// counted: one that never occurs would be a cause that nobody needs, or a generator that makes
// nothing of its kind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>

#include "core/detect/gpu/difference.h"
#include "core/detect/gpu/gpu_registry.h"
#include "core/detect/gpu/iguard/iguard.h"
#include "core/detect/gpu/random_steps.h"
#include "core/detect/gpu/scord/scord.h"

namespace redflag::gpu {
namespace {

template <typename Detector, typename Options, typename F>
Reports run_engine(const StepList& program, Options options, F report_of) {
  Reports out;
  std::size_t index = 0;
  options.on_decision = [&](std::uint64_t address, auto rule) {
    if (!is_race(rule)) return;
    Reported report = report_of(rule);
    report.step = index;
    report.rule = static_cast<int>(rule);
    out[address].push_back(report);
  };
  const auto detector = std::make_unique<Detector>(options);
  program.run(*detector, [&](std::size_t step) { index = step; });
  return out;
}

struct ScordEngine {
  scord::Options options{.metadata_cache = false};

  bool by_warp() const { return true; }
  unsigned unit() const { return options.granularity; }
  GpuLimits limits() const { return find_gpu_detector("scord")->limits; }
  ScordEngine fine() const {
    ScordEngine made = *this;
    made.options.granularity = 1;
    return made;
  }

  Reports run(const StepList& program) const {
    using scord::Rule;
    return run_engine<scord::Scord>(program, options, [](Rule rule) {
      Reported report;
      report.lock = rule == Rule::kLockOnLoad || rule == Rule::kLockOnStore;
      report.not_strong = rule == Rule::kNotStrong;
      report.within_block = rule == Rule::kBlockFence;
      report.scoped = rule == Rule::kScopedAtomic;
      return report;
    });
  }
};
struct IguardEngine {
  iguard::Options options{};

  bool by_warp() const { return false; }
  unsigned unit() const { return options.granularity; }
  GpuLimits limits() const { return find_gpu_detector("iguard")->limits; }
  IguardEngine fine() const {
    IguardEngine made = *this;
    made.options.granularity = 1;
    return made;
  }

  Reports run(const StepList& program) const {
    using iguard::Rule;
    return run_engine<iguard::Iguard>(program, options, [](Rule rule) {
      Reported report;
      report.lock = rule == Rule::kMissingLock;
      report.within_warp = rule == Rule::kIntraWarp;
      report.within_block = rule == Rule::kIntraBlock;
      report.scoped = rule == Rule::kScopedAtomic;
      return report;
    });
  }
};

struct Tally {
  std::array<std::uint64_t, kCauseCount> causes{};
  std::uint64_t found = 0, missed = 0, reported = 0, clean = 0;
  void add(Cause cause) { ++causes[static_cast<std::size_t>(cause)]; }
  std::uint64_t of(Cause cause) const { return causes[static_cast<std::size_t>(cause)]; }
  std::string text() const {
    std::ostringstream out;
    out << "bytes found " << found << ", missed " << missed << "; units reported though ordered "
        << reported << "; launches without a race " << clean << "\n";
    for (const CauseInfo& info : kCauses) {
      out << "  " << info.name << ": " << of(info.cause) << "\n";
    }
    return out.str();
  }
};

// What is wrong with what the engine says of a program, or nothing.
template <typename Engine>
class Differ {
 public:
  Differ(const Engine& engine, const RandomProgram& program, Tally& tally)
      : engine_(engine), differences_(engine_, program), tally_(tally) {}

  std::string run() {
    const RacyBytes racy = oracle(differences_.judge().program());
    const Reports reports = engine_.run(differences_.judge().program());
    if (racy.empty()) ++tally_.clean;
    const unsigned unit = engine_.unit();
    std::set<std::pair<std::uint64_t, std::set<std::size_t>>> explained;
    for (const auto& [byte, steps] : racy) {
      const std::uint64_t address = differences_.unit_of(byte);
      if (reports.contains(address)) {
        ++tally_.found;
        continue;
      }
      ++tally_.missed;
      if (!explained.emplace(address, steps).second) continue;
      if (std::string fault = missed(byte, steps); !fault.empty()) return fault;
    }
    for (const auto& [address, list] : reports) {
      const auto from = racy.lower_bound(address);
      if (from != racy.end() && from->first < address + unit) continue;
      ++tally_.reported;
      for (const Reported& report : list) {
        const std::string fault = noted(differences_.reported(address, report));
        if (!fault.empty()) return fault;
      }
    }
    return {};
  }

 private:
  // Every pair that races must be missed for a reason. Of two steps, two pairs of lanes at most.
  std::string missed(std::uint64_t byte, const std::set<std::size_t>& steps) {
    const std::vector<Touch> touches = differences_.judge().touches(byte, 1);
    std::map<std::pair<std::size_t, std::size_t>, unsigned> seen;
    for (const Touch& b : touches) {
      if (!steps.contains(b.step)) continue;
      for (const Touch& a : touches) {
        if (a.step > b.step || (!a.writes && !b.writes)) continue;
        if (a.block == b.block && a.warp == b.warp && a.lane == b.lane) continue;
        if (++seen[{a.step, b.step}] > 2) continue;
        const std::string fault = noted(differences_.missed(byte, a, b));
        if (!fault.empty()) return fault;
      }
    }
    return {};
  }
  std::string noted(const Judgement& judgement) {
    if (judgement.cause) tally_.add(*judgement.cause);
    return judgement.fault;
  }

  const Engine& engine_;
  Differences<Engine> differences_;
  Tally& tally_;
};

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

template <typename Engine>
void compare(const Engine& engine, Tally& tally, std::uint64_t usual = 5000) {
  const std::uint64_t one = number("REDFLAG_SEED", 0);
  const std::uint64_t to = one != 0 ? one : number("REDFLAG_SEEDS", usual);
  for (std::uint64_t seed = one != 0 ? one : 1; seed <= to; ++seed) {
    const auto style = seed % 2 == 0 ? RandomProgram::Style::kAll : RandomProgram::Style::kPapers;
    const RandomProgram whole(seed, style);
    RacyBytes across = oracle(whole);
    for (const RandomProgram& launch : launches_of(whole)) {
      for (const auto& [byte, steps] : oracle(launch)) across.erase(byte);
      const std::string fault = Differ<Engine>(engine, launch, tally).run();
      ASSERT_TRUE(fault.empty()) << "REDFLAG_SEED=" << seed << ": " << fault << "\n"
                                 << launch.text();
    }
    if (!across.empty()) tally.add(Cause::kOtherLaunch);
  }
  if (one != 0) std::fputs(tally.text().c_str(), stdout);
}

void expect_all(const Tally& tally, std::initializer_list<Cause> causes) {
  if (std::getenv("REDFLAG_SEED") != nullptr || std::getenv("REDFLAG_SEEDS") != nullptr) return;
  for (const Cause cause : causes) EXPECT_GT(tally.of(cause), 0U) << name(cause);
  EXPECT_GT(tally.found, 1000U);
  EXPECT_GT(tally.clean, 100U);
  ::testing::Test::RecordProperty("tally", tally.text());
}

TEST(Differential, Scord) {
  Tally tally;
  compare(ScordEngine{}, tally);
  if (HasFatalFailure()) return;
  expect_all(tally, {Cause::kLastAccessor, Cause::kFenceAlone, Cause::kBarrierOfOthers,
                     Cause::kWithinWarp, Cause::kOneInstruction, Cause::kLaterScope, Cause::kCopy,
                     Cause::kOtherLaunch, Cause::kLockDiscipline, Cause::kNotStrong,
                     Cause::kGranularity, Cause::kFenceOfAnother});
}

TEST(Differential, Iguard) {
  Tally tally;
  compare(IguardEngine{}, tally);
  if (HasFatalFailure()) return;
  expect_all(tally, {Cause::kLastAccessor, Cause::kFenceAlone, Cause::kBarrierOfOthers,
                     Cause::kWarpBarrierMask, Cause::kOneInstruction, Cause::kLaterScope,
                     Cause::kCopy, Cause::kOtherLaunch, Cause::kLockDiscipline, Cause::kGranularity,
                     Cause::kFenceOfAnother, Cause::kEarlierConvergence});
}

// The metadata cache forgets: what it misses besides, the same detector without it finds.
TEST(Differential, ScordCache) {
  ScordEngine cached;
  cached.options.metadata_cache = true;
  cached.options.device_bytes = std::uint64_t{1} << 18;
  std::uint64_t evicted = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    for (const RandomProgram& launch :
         launches_of(RandomProgram(seed, RandomProgram::Style::kPapers))) {
      const Reports whole = ScordEngine{}.run(launch);
      const Reports some = cached.run(launch);
      for (const auto& [address, list] : whole) evicted += some.contains(address) ? 0 : 1;
      const RacyBytes racy = oracle(launch);
      for (const auto& [address, list] : some) {
        const auto from = racy.lower_bound(address);
        const bool is_racy = from != racy.end() && from->first < address + 4;
        ASSERT_TRUE(is_racy || whole.contains(address))
            << "REDFLAG_SEED=" << seed << ": forgetting made a report of " << std::hex << address;
      }
    }
  }
  EXPECT_GT(evicted, 0U);
}

TEST(Differential, ScordCoarse) {
  for (const unsigned unit : {8U, 16U}) {
    ScordEngine engine;
    engine.options.granularity = unit;
    Tally tally;
    compare(engine, tally, 1000);
    if (HasFatalFailure()) return;
    expect_all(tally, {Cause::kGranularity});
  }
}

TEST(Differential, IguardCoarse) {
  for (const unsigned unit : {8U, 16U}) {
    IguardEngine engine;
    engine.options.granularity = unit;
    Tally tally;
    compare(engine, tally, 1000);
    if (HasFatalFailure()) return;
    expect_all(tally, {Cause::kGranularity});
  }
}

// More accessors: fewer misses, and no other reports than those with a cause.
TEST(Differential, IguardHistory) {
  std::uint64_t before = ~std::uint64_t{0};
  for (const unsigned history : {1U, 2U, 4U, 8U}) {
    IguardEngine engine;
    engine.options.history = history;
    Tally tally;
    compare(engine, tally, 1000);
    if (HasFatalFailure()) return;
    EXPECT_LE(tally.missed, before) << history;
    before = tally.missed;
  }
}

}  // namespace
}  // namespace redflag::gpu
