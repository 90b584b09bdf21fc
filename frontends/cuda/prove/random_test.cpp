// What is proven of random kernels is compared with what they do on the emulated GPU.
//
// Two accesses of different threads to a common byte, one of which writes and which are not atomics that reach each
// other, race if the threads are of different blocks or no barrier was between: whichever order this run had. Both must
// be told of then. What ptx_model finds is asked for as well. And enough of what does not race must be proven,
// or saying nothing would do.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "core/detect/gpu/ptx_model.h"
#include "frontends/cuda/emulate/testing.h"
#include "frontends/cuda/prove/random_kernels_test.h"
#include "frontends/cuda/prove/testing.h"

namespace redflag::prove {
namespace {

using Line = std::uint32_t;
constexpr std::uint64_t kArray = 1U << 18, kDynamicShared = 32768;

// Tells the oracle, and keeps accesses with the number of barriers that their thread has passed.
class Watcher final : public gpu::Sink {
 public:
  struct Seen {
    std::uint64_t block = 0;
    std::uint32_t thread = 0, passed = 0, site = 0, size = 0;
    bool writes = false, is_atomic = false, is_narrow = false;
    auto key() const {
      return std::tuple(block, thread, passed, site, size, writes, is_atomic, is_narrow);
    }
    bool operator<(const Seen& other) const { return key() < other.key(); }
  };

  void launch_begins(const gpu::Launch& launch) override { oracle.launch_begins(launch); }
  void launch_ends(gpu::LaunchId launch) override { oracle.launch_ends(launch); }
  void host(const gpu::HostStep& step) override { oracle.host(step); }
  void step(const gpu::Step& step) override {
    oracle.step(step);
    for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
      if ((step.lanes >> lane & 1) == 0) continue;
      const std::uint32_t thread = step.warp * gpu::kWarp + lane;
      std::uint32_t& passed = passed_[{step.block, thread}];
      if (step.kind == gpu::StepKind::kBarrierPass) ++passed;
      if (step.kind > gpu::StepKind::kAtomicRmw) continue;
      Seen seen{step.block, thread, passed, raw(step.site), step.size};
      seen.writes = step.kind == gpu::StepKind::kWrite ||
                    step.kind == gpu::StepKind::kAtomicStore ||
                    step.kind == gpu::StepKind::kAtomicRmw;
      seen.is_atomic = step.kind >= gpu::StepKind::kAtomicLoad;
      seen.is_narrow = step.scope == Scope::kBlock;
      seen_at_[raw(step.site)].insert(step.address[lane]);
      for (unsigned byte = 0; byte < step.size; ++byte)
        bytes_[step.address[lane] + byte].insert(seen);
    }
  }

  // Sites of accesses that race with another.
  std::set<std::uint32_t> racing() const {
    std::set<std::uint32_t> out;
    for (const auto& [address, all] : bytes_) {
      const auto writes = [](const Seen& each) { return each.writes; };
      if (std::none_of(all.begin(), all.end(), writes)) continue;
      for (auto a = all.begin(); a != all.end(); ++a) {
        for (auto b = std::next(a); b != all.end(); ++b) {
          if (out.count(a->site) + out.count(b->site) == 2 || !race(*a, *b)) continue;
          out.insert(a->site);
          out.insert(b->site);
        }
      }
    }
    return out;
  }

  const std::map<std::uint32_t, std::set<std::uint64_t>>& seen_at() const { return seen_at_; }

  gpu::PtxModel oracle;

 private:
  bool race(const Seen& a, const Seen& b) const {
    if (!(a.writes || b.writes) || (a.block == b.block && a.thread == b.thread)) return false;
    const bool same_block = a.block == b.block;
    const bool reach = same_block || (!a.is_narrow && !b.is_narrow);
    if (a.is_atomic && b.is_atomic && a.size == b.size && reach) return false;
    if (!same_block || a.passed == b.passed) return true;
    // A thread that ended is not waited for, nor ordered.
    const Seen& first = a.passed < b.passed ? a : b;
    return passed_.at({first.block, first.thread}) == first.passed;
  }

  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> passed_;
  std::map<std::uint64_t, std::set<Seen>> bytes_;
  std::map<std::uint32_t, std::set<std::uint64_t>> seen_at_;  // by site
};

// What proofs take for granted: no address is outside of what its pointer leads into.
bool stays(const ptx::Module& module, const Proof& proof, const Watcher& watcher,
           const cuda::Device& device, const std::uint64_t (&arrays)[2]) {
  std::map<Line, const Access*> by_line;
  for (const Access& each : proof.accesses) {
    by_line[testing::line_of(module, each)] = &each;
  }
  for (const auto& [site, addresses] : watcher.seen_at()) {
    const auto found = by_line.find(device.frames(gpu::SiteId{site}).at(0).line);
    if (found == by_line.end() || found->second->address.is_wild) continue;
    const Form& form = found->second->address;
    std::uint64_t begin = 0, size = kDynamicShared;
    if (found->second->memory == Memory::kShared) {
      begin = form.symbol == 0 ? 2 * kDynamicShared : form.symbol == 2 ? 0 : kDynamicShared;
    } else {
      const Term& pointer = proof.terms[form.pointers[0]];
      begin = arrays[pointer.value == 0 ? 0 : 1];
      size = kArray;
    }
    for (const std::uint64_t address : addresses) {
      const std::uint64_t at = gpu::is_shared(address) ? gpu::shared_offset(address) : address;
      if (at < begin || at >= begin + size) return false;
    }
  }
  return true;
}

struct Counts {
  unsigned ran = 0, possible = 0, without_race = 0, quiet = 0, accesses = 0, quiet_accesses = 0;
};

// False: it failed.
bool try_kernel(std::uint64_t seed, Counts& counts) {
  const std::string text = testing::RandomKernel(seed).text();
  const ptx::Module module = testing::parsed(text);
  const Proof proof = testing::proof_of(module);
  std::mt19937_64 random(seed);
  for (unsigned run = 0; run < 2; ++run) {
    Watcher watcher;
    cuda::testing::Gpu gpu(text, {.seed = random() % 1000, .timeout_ms = 20'000, .sink = &watcher});
    auto* const a = gpu.array<std::byte>(kArray);
    auto* const b = gpu.array<std::byte>(kArray);
    std::memset(a, 0, kArray);
    std::memset(b, 0, kArray);
    const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    static constexpr std::uint32_t kThreads[] = {1, 4, 8, 33, 40};
    const cuda::LaunchConfig config{.grid = {1 + pick(3)},
                                    .block = {kThreads[pick(5)], 1 + pick(6) / 5},
                                    .dynamic_shared = kDynamicShared};
    const bool is_alias = pick(6) == 0;
    const std::uint64_t first = cuda::testing::address(a) + kArray / 2;
    const std::uint64_t second =
        is_alias ? first + 4 * pick(64) : cuda::testing::address(b) + kArray / 2;
    const auto n = static_cast<std::int32_t>(pick(10)) - 1;
    const std::uint32_t m = pick(4) == 0 ? config.block.x * config.grid.x : pick(40);
    static constexpr std::uint64_t kFar[] = {~std::uint64_t{7}, std::uint64_t{1} << 40,
                                             std::uint64_t{1} << 63, std::uint64_t{1} << 56};
    const std::uint64_t w = pick(12) == 0 ? kFar[pick(4)] : 8 * pick(64);
    const cuda::Fault fault = gpu.launch("k", config, first, second, n, m, w);
    if (!fault.text.empty())
      continue;  // an address that is nowhere, or a barrier that nobody else comes to
    const std::uint64_t arrays[2] = {cuda::testing::address(a),
                                     cuda::testing::address(is_alias ? a : b)};
    if (!stays(module, proof, watcher, gpu.device, arrays)) continue;
    ++counts.ran;

    Facts facts;
    std::vector<std::byte> parameters(gpu.device.info(gpu.kernel).parameter_bytes);
    const auto& offsets = gpu.device.info(gpu.kernel).parameter_offsets;
    std::memcpy(&parameters[offsets[0]], &first, 8);
    std::memcpy(&parameters[offsets[1]], &second, 8);
    std::memcpy(&parameters[offsets[2]], &n, 4);
    std::memcpy(&parameters[offsets[3]], &m, 4);
    std::memcpy(&parameters[offsets[4]], &w, 8);
    facts.parameters = parameters;
    facts.sizes.threads[0] = config.block.x;
    facts.sizes.threads[1] = config.block.y;
    facts.sizes.blocks[0] = config.grid.x;
    const auto in = [](const std::byte* array, std::uint64_t at) {
      return at >= cuda::testing::address(array) && at < cuda::testing::address(array) + kArray;
    };
    const std::vector<bool> noisy = prove::noisy(proof, facts, [&](std::uint64_t at) {
      return in(a, at) ? 1U : in(b, at) ? 2U : 0U;
    });
    const std::set<Line> told = testing::lines_of(module, proof, noisy);

    std::set<std::uint32_t> sites = watcher.racing();
    bool is_divergent = false;
    for (const gpu::GpuRace& race : watcher.oracle.races()) {
      is_divergent = is_divergent || race.kind == gpu::RaceClass::kBarrierDivergence;
      if (race.kind == gpu::RaceClass::kBarrierDivergence) continue;
      sites.insert(raw(race.first.site));
      sites.insert(raw(race.second.site));
    }
    std::set<Line> racing;
    for (const std::uint32_t each : sites) {
      racing.insert(gpu.device.frames(gpu::SiteId{each}).at(0).line);
    }
    counts.possible += proof.is_possible ? 1 : 0;
    counts.without_race += racing.empty() ? 1 : 0;
    counts.quiet += proof.is_possible && told.empty() ? 1 : 0;
    counts.accesses += static_cast<unsigned>(noisy.size());
    counts.quiet_accesses += static_cast<unsigned>(std::count(noisy.begin(), noisy.end(), false));
    if (!proof.is_possible) continue;
    const bool is_told = std::includes(told.begin(), told.end(), racing.begin(), racing.end());
    EXPECT_TRUE(is_told);
    EXPECT_FALSE(is_divergent);
    if (is_told && !is_divergent) continue;
    std::cout << text << "seed " << seed << " run " << run << " grid " << config.grid.x << " block "
              << config.block.x << "x" << config.block.y << " n " << n << " m " << m << " w " << w
              << " alias " << is_alias << "\nracing:";
    for (const Line each : racing) std::cout << " " << each;
    std::cout << "\ntold:";
    for (const Line each : told) std::cout << " " << each;
    std::cout << "\n";
    return false;
  }
  return true;
}

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(RandomKernels, WhatRacesIsToldOf) {
  // PROVE_SEED=7 PROVE_KERNELS=1000000: more than in every run of the tests.
  const std::uint64_t first = number("PROVE_SEED", 1), count = number("PROVE_KERNELS", 3000);
  Counts counts;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ASSERT_TRUE(try_kernel(seed, counts)) << "seed " << seed;
  }
  std::cout << counts.ran << " launches, of " << counts.possible << " kernels with a proof; "
            << counts.without_race << " without a race, " << counts.quiet << " proven; "
            << counts.quiet_accesses << " of " << counts.accesses << " accesses proven\n";
  EXPECT_GT(counts.ran, count);
  EXPECT_GT(counts.possible, counts.ran / 2);
  EXPECT_GT(counts.quiet, counts.without_race / 3);
}

}  // namespace
}  // namespace redflag::prove
