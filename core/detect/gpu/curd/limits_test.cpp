// Where curd differs from ptx_model, each difference on the smallest kernel: docs/how/gpu-detectors.md
// names them.
#include <gtest/gtest.h>

#include "core/detect/gpu/curd/testing.h"
#include "core/detect/gpu/ptx_model.h"

namespace redflag::gpu::curd {
namespace {

// Both detectors on the same steps.
struct Both final : Sink {
  explicit Both(PtxModelOptions options) : oracle(std::move(options)) {}
  void launch_begins(const Launch& launch) override {
    Launch known = launch;
    known.sync.known = true;
    known.sync.add(SyncOp::kAtomic);
    oracle.launch_begins(known);
    curd.launch_begins(known);
  }
  void step(const Step& step) override {
    oracle.step(step);
    curd.step(step);
  }
  void launch_ends(LaunchId launch) override {
    oracle.launch_ends(launch);
    curd.launch_ends(launch);
  }
  void host(const HostStep& step) override {
    oracle.host(step);
    curd.host(step);
  }
  std::vector<GpuRace> races() const { return curd.races(); }
  PtxModel oracle;
  Curd curd;
};
using Compared = KernelOn<Both, PtxModelOptions>;

std::string who(Compared& k) {
  k.end();
  std::string out = k.model.oracle.races().empty() ? "-" : "oracle";
  return out + (k.model.curd.races().empty() ? " -" : " curd");
}

// Lanes that execute together are ordered after what each did before, at level cuda; CURD warns of
// code that relies on it (section 6.3.4).
TEST(CurdLimits, Together) {
  Compared k(1, 32);
  k.write({0, 0, kAllLanes}, kData, 4);
  k.read({0, 0, kAllLanes}, kData + 4, 4);
  EXPECT_EQ(who(k), "- curd");
  Compared strict(1, 32, {.convergence = Convergence::kNothing});
  strict.write({0, 0, kAllLanes}, kData, 4);
  strict.read({0, 0, kAllLanes}, kData + 4, 4);
  EXPECT_EQ(who(strict), "oracle curd");
}

// Lanes of one instruction that write the same value.
TEST(CurdLimits, SameValue) {
  const auto store = [](Compared& k) {
    Step s = k.make({0, 0, kAllLanes}, StepKind::kWrite, kData);
    k.values.fill(7);
    s.value = k.values.data();
    k.put(s);
  };
  Compared k(1, 32), strict(1, 32, {.filter_same_value = false});
  store(k);
  EXPECT_EQ(who(k), "- curd");
  store(strict);
  EXPECT_EQ(who(strict), "oracle curd");
}

// A thread that counted, and then resets the counter: level cuda orders it behind the atomics that
// its own has seen.
TEST(CurdLimits, OwnAtomic) {
  for (const Strictness level : {Strictness::kCuda, Strictness::kPtx}) {
    Compared k(2, 32, {.strictness = level});
    k.add({0, 0, 1}, kFlag);
    k.add({1, 0, 1}, kFlag);
    k.write({1, 0, 1}, kFlag);
    EXPECT_EQ(who(k), level == Strictness::kCuda ? "- curd" : "oracle curd");
  }
}

// Two atomics of different sizes at one place.
TEST(CurdLimits, AtomicSizes) {
  Compared k(2, 32);
  k.add({0, 0, 1}, kFlag);
  Step wide = k.make({1, 0, 1}, StepKind::kAtomicRmw, kFlag);
  wide.size = 8;
  wide.scope = Scope::kDevice;
  wide.order = Order::kRelaxed;
  k.put(wide);
  EXPECT_EQ(who(k), "oracle -");
}

// Launches are checked one by one; the host is not.
TEST(CurdLimits, OtherLaunch) {
  Compared k(1, 32);
  k.end();
  k.launch.stream = StreamId{1};
  k.begin();
  k.host(HostKind::kStreamNonBlocking, 0, 0, false, StreamId{1});
  k.host(HostKind::kStreamNonBlocking, 0, 0, false, StreamId{2});
  k.end();
  k.begin();
  k.write({0, 0, 1});
  k.end();
  k.launch.stream = StreamId{2};
  k.begin();
  k.write({0, 0, 1});
  EXPECT_EQ(who(k), "oracle -");
}

// A part of a warp at a barrier for whole warps: no memory, no finding.
TEST(CurdLimits, BarrierDivergence) {
  Compared k(1, 32);
  k.arrive({0, 0, 0xFFFF});
  k.pass({0, 0, 0xFFFF});
  EXPECT_EQ(who(k), "oracle -");
}

}  // namespace
}  // namespace redflag::gpu::curd
