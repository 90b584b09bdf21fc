// Differences: the causes of one detector's disagreements with ptx_model on one launch.
//
// Asked of a pair that the oracle calls racy and the detector did not report, or of a report on
// memory that the oracle calls ordered. First what can be read off the program (judge.h), then the
// detector is asked again: without the other accesses of that memory, or with an entry for every
// byte. No cause is a fault of the detector, or of the documentation.
//
// Engine: by_warp(), unit(), limits(), run(program) -> Reports, fine() -> the same with units of a
// byte. A run costs what the detector costs on the list.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/detect/gpu/gpu_limits.h"
#include "core/detect/gpu/judge.h"

namespace redflag::gpu {

// A report of a detector, by the step that made it.
struct Reported {
  std::size_t step = 0;
  int rule = 0;
  bool lock = false;          // no common lock
  bool not_strong = false;    // a weak access behind a fence
  bool within_warp = false;   //
  bool within_block = false;  //
  bool scoped = false;        // an atomic's scope
};
using Reports = std::map<std::uint64_t, std::vector<Reported>>;  // by unit of memory

// Why, or what is wrong.
struct Judgement {
  std::optional<Cause> cause;
  std::string fault;  // where there is no cause; both empty: there is nothing to explain
};

template <typename Engine>
class Differences {
 public:
  Differences(const Engine& engine, const StepList& program)
      : engine_(engine), judge_(program, engine.by_warp()) {}

  const Judge& judge() const { return judge_; }
  std::uint64_t unit_of(std::uint64_t byte) const {
    return byte & ~std::uint64_t{engine_.unit() - 1};
  }

  // Two accesses of `byte`, a before b, of which the engine reported nothing. They may be ordered.
  Judgement missed(std::uint64_t byte, const Touch& a, const Touch& b) const {
    if (a.step == b.step) return {Cause::kOneInstruction, ""};
    const std::uint64_t address = unit_of(byte);
    const StepList pair = judge_.only(address, engine_.unit(), a, b);
    if (!oracle(pair).contains(byte)) return {};
    if (const std::optional<Cause> cause = readable(a, b)) return {cause, ""};
    if (engine_.run(pair).contains(address)) return {Cause::kLastAccessor, ""};
    return {std::nullopt, "missed without a cause: byte " + at(byte, b.step) + ", against step " +
                              std::to_string(a.step)};
  }

  // A report on a unit of memory that has no race.
  Judgement reported(std::uint64_t address, const Reported& report) const {
    const std::vector<Touch> touches = judge_.touches(address, engine_.unit());
    Touch now;
    for (const Touch& t : touches) {
      if (t.step == report.step) now = t;
    }
    if (report.lock) {
      if (judge_.swapped_before(now)) return {Cause::kLockDiscipline, ""};
      return {std::nullopt, "a lock that nobody took: " + at(address, now.step)};
    }
    if (report.not_strong) {
      for (const Touch& t : touches) {
        if (t.step <= now.step && !t.strong) return {Cause::kNotStrong, ""};
      }
      return {std::nullopt, "called weak: " + at(address, now.step)};
    }
    if (engine_.unit() > 1 && !finds_in_bytes(address, report)) return {Cause::kGranularity, ""};
    if (report.scoped) {
      for (const Touch& a : touches) {
        if (a.step < now.step && a.narrow && a.block != now.block) return {Cause::kScopeAlone, ""};
      }
      return {std::nullopt, "no narrow atomic: " + at(address, now.step)};
    }
    return by_order(address, report, touches, now);
  }

 private:
  static std::string at(std::uint64_t address, std::size_t step) {
    std::ostringstream out;
    out << std::hex << address << std::dec << " at step " << step;
    return out.str();
  }

  // A cause of a miss that can be read off the program.
  std::optional<Cause> readable(const Touch& a, const Touch& b) const {
    if (a.is_copy || b.is_copy) return Cause::kCopy;
    if (engine_.by_warp() && Judge::same_warp(a, b)) return Cause::kWithinWarp;
    if (judge_.fenced(a, b)) return Cause::kFenceAlone;
    if (judge_.barrier_passed(a, b)) return Cause::kBarrierOfOthers;
    if (judge_.warp_barrier(a, b)) return Cause::kWarpBarrierMask;
    const bool earlier_is_wide = !a.narrow || a.block == b.block;
    if (a.is_atomic && b.is_atomic && earlier_is_wide) return Cause::kLaterScope;
    if (numbers_wrap(a, b)) return Cause::kNumbersWrap;
    return std::nullopt;
  }
  // Two threads, or blocks, that an entry cannot tell apart.
  bool numbers_wrap(const Touch& a, const Touch& b) const {
    if (a.block == b.block) return false;
    const GpuLimits& limits = engine_.limits();
    const auto wraps = [](std::uint64_t x, std::uint64_t y, unsigned bits) {
      return bits != 0 && x != y && (x & ((1U << bits) - 1)) == (y & ((1U << bits) - 1));
    };
    if (wraps(a.block, b.block, limits.block_bits)) return true;
    const std::uint64_t warps = judge_.program().items().front().launch.block_warps();
    return wraps(a.block * warps + a.warp, b.block * warps + b.warp, limits.warp_bits);
  }

  Judgement by_order(std::uint64_t address, const Reported& report,
                     const std::vector<Touch>& touches, const Touch& now) const {
    bool own_last = false;
    for (const Touch& a : touches) {
      if (a.step >= now.step) break;
      own_last = judge_.same_thread(a, now);
    }
    bool wrapped = false;
    for (const Touch& a : touches) {
      if (a.step >= now.step) break;
      if ((!a.writes && !now.writes) || judge_.same_thread(a, now)) continue;
      if (judge_.fenced(a, now) || judge_.barrier_passed(a, now)) {
        wrapped = wrapped || counters_wrap(a, now);
        continue;
      }
      if (report.within_warp) {
        if (!Judge::same_warp(a, now) || judge_.warp_barrier(a, now)) continue;
        if (judge_.converged_between(a, now)) return {Cause::kEarlierConvergence, ""};
        continue;
      }
      return {own_last ? Cause::kSharing : Cause::kFenceOfAnother, ""};
    }
    if (wrapped) return {Cause::kCountersWrap, ""};
    if (own_last && report.within_block) return {Cause::kSharing, ""};
    return {std::nullopt, "reported without a cause: " + at(address, now.step)};
  }
  // All counters that could tell the two apart have begun again.
  bool counters_wrap(const Touch& a, const Touch& now) const {
    const std::size_t fences = judge_.fences(a, now, kFenceTurn + 1);
    const std::size_t barriers = judge_.barriers(a, now, kBarrierTurn + 1);
    return fences >= kFenceTurn || barriers >= kBarrierTurn;
  }
  // Does it report the same when every byte has its entry?
  bool finds_in_bytes(std::uint64_t address, const Reported& report) const {
    const Reports reports = engine_.fine().run(judge_.program());
    for (auto at = reports.lower_bound(address); at != reports.end(); ++at) {
      if (at->first >= address + engine_.unit()) break;
      for (const Reported& one : at->second) {
        if (one.step == report.step && one.rule == report.rule) return true;
      }
    }
    return false;
  }

  static constexpr std::size_t kFenceTurn = 64;     // six bits
  static constexpr std::size_t kBarrierTurn = 256;  // eight

  const Engine& engine_;
  Judge judge_;
};

}  // namespace redflag::gpu
