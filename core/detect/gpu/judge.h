// For tests: a paper's detector against ptx_model, every disagreement held to a documented cause.
//
// The judge knows programs and what the papers say, nothing of the detectors' inside. A race that
// the oracle finds and the detector does not is taken apart into its pairs of accesses; each pair
// must have a cause that can be read off the program itself (a fence of the earlier thread stands
// between, ...), or the detector must find the pair once the other accesses of that memory are
// taken away: then it had forgotten. A report on memory that the oracle calls ordered is treated
// likewise. docs/gpu-detectors.md explains the causes; limits_test.cpp shows each.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/detect/gpu/model.h"
#include "core/detect/gpu/random_steps.h"
#include "core/detect/gpu/shadow.h"
#include "core/detect/gpu/warp_clocks.h"

namespace redflag::gpu {

enum class Cause : std::uint8_t {
  // Missed.
  kLastAccessor,     // the accesses between are all that is remembered
  kFenceAlone,       // a fence counts as order, whether a signal passed or not
  kBarrierOfOthers,  // the block's barrier counter went on, but this warp did not wait (bar.arrive)
  kWarpBarrierMask,  // a warp barrier of some lanes counts for all
  kWithinWarp,       // scord: a warp is one thread
  kOneInstruction,   // lanes of one instruction
  kLaterScope,       // of two atomics the earlier one's scope is looked at
  kCopy,             // cp.async reads until it is waited for; here it is a load at its start
  kOtherLaunch,      // launches and the host are not compared with each other
  kEviction,         // scord: the metadata cache
  // Reported.
  kLockDiscipline,      // no lock in common, though something else orders the two
  kNotStrong,           // scord: weak accesses behind a fence
  kGranularity,         // other bytes of one unit of memory
  kFenceOfAnother,      // what one's own fence did not publish
  kEarlierConvergence,  // iguard: lanes that were together before, not now
  kSharing,             // compared with itself, in place of a reader before
  kScopeAlone,          // an atomic of block scope, whatever orders the other block behind it
};
inline constexpr std::size_t kCauseCount = 17;
inline constexpr std::array<std::string_view, kCauseCount> kCauseNames{
    "last accessor", "fence alone",      "barrier of others",   "warp barrier mask",
    "within warp",   "one instruction",  "later scope",         "copy",
    "other launch",  "eviction",         "lock discipline",     "not strong",
    "granularity",   "fence of another", "earlier convergence", "sharing",
    "scope alone"};
constexpr std::string_view name(Cause cause) {
  return kCauseNames[static_cast<std::size_t>(cause)];
}

using Item = RandomProgram::Item;
using RacyBytes = std::map<std::uint64_t, std::set<std::size_t>>;  // byte to steps that race there

inline RacyBytes oracle(const RandomProgram& program) {
  Model<WarpClocks, Shadow> model({.explain = false});
  RacyBytes out;
  std::size_t index = 0;
  model.on_access = [&](std::uint64_t address, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out[address + i].insert(index);
  };
  program.run(model, [&](std::size_t step) { index = step; });
  std::erase_if(out, [](const auto& one) { return is_shared(one.first); });
  return out;
}

// The launches of a program, each alone.
inline std::vector<RandomProgram> launches_of(const RandomProgram& program) {
  std::vector<RandomProgram> out;
  std::vector<Item> items;
  for (const Item& item : program.items()) {
    if (item.what == RandomProgram::What::kHost) continue;
    items.push_back(item);
    if (item.what != RandomProgram::What::kEnd) continue;
    out.emplace_back(std::move(items));
    items.clear();
  }
  return out;
}

struct Touch {  // one lane's access
  std::size_t step = 0;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  unsigned lane = 0;
  bool writes = false, is_atomic = false, strong = false, is_copy = false;
  bool narrow = false;  // an atomic of block scope
};

class Judge {
 public:
  // `by_warp`: a warp is one thread, as in ScoRD.
  Judge(const RandomProgram& program, bool by_warp) : program_(program), by_warp_(by_warp) {}

  const RandomProgram& program() const { return program_; }

  // All accesses of [address, address + size), in order.
  std::vector<Touch> touches(std::uint64_t address, unsigned size) const {
    std::vector<Touch> out;
    for (std::size_t i = 0; i < program_.items().size(); ++i) {
      const Item& item = program_.items()[i];
      if (item.what != RandomProgram::What::kStep) continue;
      const bool is_copy = item.step.kind == StepKind::kAsyncCopy;
      if (!is_copy && item.step.kind > StepKind::kAtomicRmw) continue;
      for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint64_t at = is_copy ? item.source[lane] : item.address[lane];
        if (at >= address + size || at + item.step.size <= address) continue;
        out.push_back(touch(i, item.step, lane, is_copy));
      }
    }
    return out;
  }

  bool same_thread(const Touch& a, const Touch& b) const {
    return a.block == b.block && a.warp == b.warp && (by_warp_ || a.lane == b.lane);
  }
  static bool same_warp(const Touch& a, const Touch& b) {
    return a.block == b.block && a.warp == b.warp;
  }

  // A fence of the earlier thread stands between, of a scope that reaches the later one.
  bool fenced(const Touch& a, const Touch& b) const {
    return any_between(a, b, [&](const Step& s) {
      if (s.block != a.block || s.warp != a.warp) return false;
      if (!by_warp_ && (s.lanes >> a.lane & 1) == 0) return false;
      const bool narrow = s.scope == Scope::kBlock || s.scope == Scope::kWarp;
      switch (s.kind) {
        case StepKind::kFence:
          return a.block == b.block || !narrow;
        case StepKind::kAtomicLoad:
        case StepKind::kAtomicStore:
        case StepKind::kAtomicRmw:
        case StepKind::kMbarrierArrive:
          return is_release(s.order) && (a.block == b.block || !narrow);
        case StepKind::kClusterArrive:
          return is_release(s.order);
        case StepKind::kBarrierArrive:  // of a part of the block
          return a.block == b.block && s.expected != 0 && s.expected < block_threads();
        default:
          return false;
      }
    });
  }
  // A round of a barrier for the whole block ended between: its first warp passed.
  bool barrier_passed(const Touch& a, const Touch& b) const {
    if (a.block != b.block) return false;
    std::set<std::pair<std::uint32_t, std::uint32_t>> ended;
    for (std::size_t i = 0; i < b.step; ++i) {
      const Item& item = program_.items()[i];
      const Step& s = item.step;
      if (item.what != RandomProgram::What::kStep || s.kind != StepKind::kBarrierPass) continue;
      if (s.block != a.block || (s.expected != 0 && s.expected < block_threads())) continue;
      if (ended.emplace(s.object, s.round).second && i > a.step) return true;
    }
    return false;
  }
  bool warp_barrier(const Touch& a, const Touch& b) const {
    return same_warp(a, b) && any_between(a, b, [&](const Step& s) {
             return s.kind == StepKind::kWarpSync && s.block == a.block && s.warp == a.warp;
           });
  }
  // Lanes of the warp did something together between.
  bool converged_between(const Touch& a, const Touch& b) const {
    return same_warp(a, b) && any_between(a, b, [&](const Step& s) {
             return s.block == a.block && s.warp == a.warp && !std::has_single_bit(s.converged);
           });
  }
  bool swapped_before(const Touch& b) const {
    for (std::size_t i = 0; i < b.step; ++i) {
      const Item& item = program_.items()[i];
      if (item.what == RandomProgram::What::kStep && item.step.op == RmwOp::kCompareSwap &&
          item.step.kind == StepKind::kAtomicRmw) {
        return true;
      }
    }
    return false;
  }

  // The same program, with no other access of that memory than two; lanes of one instruction write
  // the same value, which is no race.
  RandomProgram only(std::uint64_t address, unsigned size, const Touch& a, const Touch& b) const {
    std::vector<Item> items = program_.items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item& item = items[i];
      item.value.fill(0);
      if (item.what != RandomProgram::What::kStep) continue;
      const bool is_copy = item.step.kind == StepKind::kAsyncCopy;
      if (!is_copy && item.step.kind > StepKind::kAtomicRmw) continue;
      for (Lanes rest = item.step.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        if ((i == a.step && lane == a.lane) || (i == b.step && lane == b.lane)) continue;
        std::uint64_t& at = is_copy ? item.source[lane] : item.address[lane];
        if (at < address + size && at + item.step.size > address)
          at = kNowhere + 0x1000 * i + std::uint64_t{64} * lane;
      }
    }
    return RandomProgram(std::move(items));
  }

 private:
  static constexpr std::uint64_t kNowhere = 0x900000;

  static Touch touch(std::size_t index, const Step& step, unsigned lane, bool is_copy) {
    Touch t;
    t.step = index;
    t.block = step.block;
    t.warp = step.warp;
    t.lane = lane;
    t.is_copy = is_copy;
    t.is_atomic = !is_copy && step.kind >= StepKind::kAtomicLoad;
    t.strong = t.is_atomic || step.is_volatile;
    t.narrow = t.is_atomic && step.scope == Scope::kBlock;
    t.writes = step.kind == StepKind::kWrite || step.kind == StepKind::kAtomicStore ||
               (step.kind == StepKind::kAtomicRmw && (step.wrote >> lane & 1) != 0);
    return t;
  }
  std::uint32_t block_threads() const { return program_.items().front().launch.block_threads(); }
  template <typename F>
  bool any_between(const Touch& a, const Touch& b, F holds) const {
    for (std::size_t i = a.step + 1; i < b.step; ++i) {
      const Item& item = program_.items()[i];
      if (item.what == RandomProgram::What::kStep && holds(item.step)) return true;
    }
    return false;
  }

  const RandomProgram& program_;
  bool by_warp_;
};

}  // namespace redflag::gpu
