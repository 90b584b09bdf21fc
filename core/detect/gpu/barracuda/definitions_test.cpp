// Where the dissertation defines otherwise than ptx_model: each difference on the smallest kernel.
// docs/how/gpu-detectors.md lists them by these names.
#include <gtest/gtest.h>

#include <utility>

#include "core/detect/gpu/barracuda/barracuda.h"
#include "core/detect/gpu/testing.h"

namespace redflag::gpu::barracuda {
namespace {

// The same steps for both; what each says.
template <typename F>
void expect_races(F run, std::size_t model, std::size_t ours,
                  Convergence convergence = Convergence::kLockstep, Options options = {}) {
  gpu::Kernel oracle(2, 64, {.convergence = convergence});
  run(oracle);
  oracle.end();
  EXPECT_EQ(oracle.races().size(), model);
  KernelOn<Barracuda, Options> barracuda(2, 64, std::move(options));
  run(barracuda);
  barracuda.end();
  EXPECT_EQ(barracuda.races().size(), ours);
}
constexpr By kOne{0, 0, 1};
constexpr By kOther{1, 0, 1};

// A warp runs in lockstep: lanes that no branch parts are ordered, also when they do not execute an
// instruction together.
TEST(BarracudaDefinitions, Lockstep) {
  const auto run = [](auto& k) {
    k.write({0, 0, 1});
    k.read({0, 0, 2});
  };
  expect_races(run, 1, 0, Convergence::kByLevel);
  expect_races(run, 0, 0);
}

// A global fence on one side is enough.
TEST(BarracudaDefinitions, OneGlobalFence) {
  expect_races(
      [](auto& k) {
        k.write(kOne);
        k.fence(kOne, Scope::kBlock);
        k.exchange(kOne, kFlag);
        k.add(kOther, kFlag);
        k.fence(kOther, Scope::kDevice);
        k.read(kOther);
      },
      1, 0);
}

// Atomics do not race with each other, whatever their scope.
TEST(BarracudaDefinitions, AtomicScope) {
  expect_races(
      [](auto& k) {
        k.add(kOne, kData, Scope::kBlock);
        k.add(kOther, kData, Scope::kBlock);
      },
      1, 0);
}

// ... and whatever their size.
TEST(BarracudaDefinitions, AtomicSize) {
  expect_races(
      [](auto& k) {
        k.add(kOne, kData);
        Step s = k.make(kOther, StepKind::kAtomicRmw, kData);
        s.size = 8;
        s.scope = Scope::kDevice;
        s.order = Order::kRelaxed;
        k.put(s);
      },
      1, 0);
}

// A store right behind a fence is a signal: what it releases is acquired by a load with a fence behind,
// and the signal itself is not data.
TEST(BarracudaDefinitions, StoreBehindFence) {
  const auto message = [](auto& k) {
    k.write(kOne);
    k.fence(kOne);
    k.write(kOne, kFlag);
    k.read(kOther, kFlag);
    k.fence(kOther);
    k.read(kOther);
  };
  expect_races(message, 2, 0);
  expect_races(message, 2, 2, Convergence::kLockstep, {.stores_release = false});
  // Data that happens to be written there is missed.
  expect_races(
      [](auto& k) {
        k.fence(kOne);
        k.write(kOne);
        k.write(kOther);
      },
      1, 0);
}

// Launches, and the host, are not compared with each other.
TEST(BarracudaDefinitions, OtherLaunch) {
  expect_races(
      [](auto& k) {
        k.write(kOne);
        k.end();
        k.launch.stream = StreamId{1};
        k.host(HostKind::kStreamNonBlocking, 0, 0, false, StreamId{1});
        k.begin();
        k.write(kOther);
      },
      1, 0);
}

}  // namespace
}  // namespace redflag::gpu::barracuda
