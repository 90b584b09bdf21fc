// Every documented cause for which scord or iguard differ from ptx_model, shown on the smallest
// kernel.
//
// The three see the same steps. docs/how/gpu-detectors.md has the causes as a table;
// differential_test.cpp holds random kernels to them.
#include <gtest/gtest.h>

#include "core/detect/gpu/iguard/iguard.h"
#include "core/detect/gpu/scord/scord.h"
#include "core/detect/gpu/testing.h"

namespace redflag::gpu {
namespace {

struct Three final : Sink {
  struct Options {
    scord::Options scord{.metadata_cache = false};
    iguard::Options iguard{};
  };
  explicit Three(Options options)
      : scord(std::make_unique<scord::Scord>(std::move(options.scord))),
        iguard(std::move(options.iguard)) {}

  void launch_begins(const Launch& launch) override {
    oracle.launch_begins(launch);
    scord->launch_begins(launch);
    iguard.launch_begins(launch);
  }
  void step(const Step& step) override {
    oracle.step(step);
    scord->step(step);
    iguard.step(step);
  }
  void launch_ends(LaunchId launch) override {
    oracle.launch_ends(launch);
    scord->launch_ends(launch);
    iguard.launch_ends(launch);
  }
  void host(const HostStep& step) override {
    oracle.host(step);
    scord->host(step);
    iguard.host(step);
  }
  std::vector<GpuRace> races() const { return oracle.races(); }

  PtxModel oracle;
  std::unique_ptr<scord::Scord> scord;
  iguard::Iguard iguard;
};
using K = KernelOn<Three, Three::Options>;

// Who finds something: "oracle scord iguard", those that do not as "-".
std::string found(const K& k) {
  std::string out = k.model.oracle.races().empty() ? "-" : "oracle";
  out += k.model.scord->races().empty() ? " -" : " scord";
  out += k.model.iguard.races().empty() ? " -" : " iguard";
  return out;
}

constexpr By kA{0, 0, 1};
constexpr By kB{1, 0, 1};
constexpr By kC{2, 0, 1};
// A signal from one thread to another, by an atomic; who reads it acquires.
void signal(K& k, By from, By to) {
  k.add(from, kFlag);
  k.add(to, kFlag);
}

// Missed.

TEST(Limits, LastAccessor) {
  K k(3, 32);
  k.volatile_read(kA, kData);
  k.volatile_read(kB, kData);
  k.fence(kB);
  signal(k, kB, kC);
  k.volatile_write(kC, kData);  // behind B's read, not behind A's
  EXPECT_EQ(found(k), "oracle - -");
}

TEST(Limits, FenceAlone) {
  K k(2, 32);
  k.volatile_write(kA, kData);
  k.fence(kA);
  k.volatile_read(kB, kData);  // no signal was seen
  EXPECT_EQ(found(k), "oracle - -");
}

TEST(Limits, BarrierOfOthers) {
  K k(1, 64);
  k.arrive({0, 0, kAllLanes});
  k.write({0, 0, 1});  // bar.arrive: this warp did not wait
  k.arrive({0, 1, kAllLanes});
  k.pass({0, 1, kAllLanes});
  k.read({0, 1, 1});
  EXPECT_EQ(found(k), "oracle - -");
}

TEST(Limits, WarpBarrierMask) {
  K k(1, 32);
  k.write({0, 0, 1});
  k.sync_warp({0, 0, 0b110});  // without lane 0
  k.read({0, 0, 0b10});
  EXPECT_EQ(found(k), "oracle - -") << "scord: within a warp";
}

TEST(Limits, WithinWarp) {
  K k(1, 32);
  k.write({0, 0, 1});
  k.read({0, 0, 0b10});
  EXPECT_EQ(found(k), "oracle - iguard");
}

TEST(Limits, OneInstruction) {
  K k(1, 32);
  Step s = k.make({0, 0, 0b11}, StepKind::kWrite, kData);
  k.values[1] = 1;
  s.value = k.values.data();
  k.put(s);
  EXPECT_EQ(found(k), "oracle - -");
}

TEST(Limits, LaterScope) {
  K k(2, 32);
  k.add(kA, kData, Scope::kDevice);
  k.add(kB, kData, Scope::kBlock);
  EXPECT_EQ(found(k), "oracle - -");
  K other(2, 32);
  other.add(kB, kData, Scope::kBlock);
  other.add(kA, kData, Scope::kDevice);
  EXPECT_EQ(found(other), "oracle scord iguard") << "in the other order both find it";
}

TEST(Limits, Copy) {
  K k(2, 32);
  k.copy(kA, shared_address(0, 0), kData);
  k.fence(kA);
  signal(k, kA, kB);
  k.write(kB, kData);  // the copy may still read
  EXPECT_EQ(found(k), "oracle scord -") << "scord only because the copy's load is weak";
}

TEST(Limits, SharedMemory) {
  K k(1, 64);
  k.write({0, 0, 1}, shared_address(0, 0));
  k.write({0, 1, 1}, shared_address(0, 0));
  EXPECT_EQ(found(k), "oracle - -");
}

TEST(Limits, OtherLaunch) {
  K k(1, 32);
  k.write(kA);
  k.end();
  k.launch.stream = StreamId{1};
  k.host(HostKind::kStreamNonBlocking, 0, 0, false, StreamId{1});
  k.begin();
  k.write(kA);
  EXPECT_EQ(found(k), "oracle - -");
}

// Two locks with the same bits in the filter of sixteen.
TEST(Limits, FilterCollision) {
  const auto critical = [](K& k, By by, std::uint64_t lock) {
    k.swap(by, lock);
    k.fence(by);
    k.volatile_read(by, kData);
    k.volatile_write(by, kData);
    k.fence(by);
    k.exchange(by, lock);
  };
  const std::uint64_t lock = 0x8000;
  const auto same_bits = [&](std::uint64_t other) {
    return scord::lock_hash(lock, false, 0) == scord::lock_hash(other, false, 0) &&
           (iguard::filter_bits(iguard::lock_hash(lock, false, 0)) &
            iguard::filter_bits(iguard::lock_hash(other, false, 0))) != 0;
  };
  const auto no_bits = [&](std::uint64_t other) {
    using scord::filter_bits;
    const auto bits = [](std::uint64_t at) {
      return filter_bits(scord::lock_hash(at, false, 0), false);
    };
    return scord::no_common_lock(bits(lock), bits(other)) &&
           (iguard::filter_bits(iguard::lock_hash(lock, false, 0)) &
            iguard::filter_bits(iguard::lock_hash(other, false, 0))) == 0;
  };
  std::uint64_t same = lock + 4;
  while (!same_bits(same)) same += 4;
  std::uint64_t apart = lock + 4;
  while (!no_bits(apart)) apart += 4;
  K collides(2, 32);
  critical(collides, kA, lock);
  critical(collides, kB, same);
  EXPECT_EQ(found(collides), "oracle - -");
  K differs(2, 32);
  critical(differs, kA, lock);
  critical(differs, kB, apart);
  EXPECT_EQ(found(differs), "oracle scord iguard");
}

TEST(Limits, LockTableOverflows) {
  K k(2, 32);
  const std::uint64_t lock = 0x8000;
  k.swap(kA, lock);
  k.fence(kA);
  for (std::uint64_t i = 1; i <= 4; ++i) k.swap(kA, lock + 0x1000 * i);
  k.fence(kA);
  k.volatile_write(kA, kData);
  k.fence(kA);
  k.exchange(kA, lock);
  k.swap(kB, lock);
  k.fence(kB);
  k.volatile_write(kB, kData);  // under the common lock, which A's table has lost
  EXPECT_EQ(k.model.scord->count(scord::Rule::kLockOnStore), 1U);
}

TEST(Limits, Eviction) {
  Three::Options options;
  options.scord = {.metadata_cache = true, .device_bytes = std::uint64_t{1} << 16};
  const std::uint64_t apart = (std::uint64_t{1} << 16) / 16;  // one entry for both
  K k(2, 32, options);
  k.write(kA, kData);
  k.write(kA, kData + apart);
  k.write(kB, kData);
  EXPECT_EQ(found(k), "oracle - iguard");
  EXPECT_GT(k.model.scord->evictions(), 0U);
}

// Both ways: 64 fences look like none, 256 barriers too.
TEST(Limits, CountersWrap) {
  K fences(2, 32);
  fences.volatile_write(kA, kData);
  for (int i = 0; i < 64; ++i) fences.fence(kA);
  signal(fences, kA, kB);
  fences.volatile_read(kB, kData);
  EXPECT_EQ(found(fences), "- scord iguard") << "reported though ordered";
  K barriers(1, 64);
  barriers.write({0, 0, 1});
  for (std::uint32_t i = 0; i < 256; ++i) barriers.barrier(0, i);
  barriers.read({0, 1, 1});
  EXPECT_EQ(found(barriers), "- scord iguard");
  K one_less(1, 64);
  one_less.write({0, 0, 1});
  for (std::uint32_t i = 0; i < 255; ++i) one_less.barrier(0, i);
  one_less.read({0, 1, 1});
  EXPECT_EQ(found(one_less), "- - -");
}

TEST(Limits, NumbersWrap) {
  K k(129, 32);
  k.write({0, 0, 1});
  k.write({128, 0, 1});  // block 0 again, in seven bits
  EXPECT_EQ(found(k), "oracle - iguard");
  K threads(1025, 1024);
  threads.write({0, 0, 1});
  threads.write({1024, 0, 1});  // warp 2^15 of the grid is warp 0 again, in fifteen bits
  EXPECT_EQ(found(threads), "oracle - -") << "scord: block 1024 is block 0";
}

// Reported though ordered.

TEST(Limits, LockDiscipline) {
  K k(2, 32);
  k.swap(kA, 0x8000);
  k.fence(kA);
  k.volatile_write(kA, kData);
  k.fence(kA);
  k.exchange(kA, 0x8000);
  signal(k, kA, kB);
  k.volatile_write(kB, kData);  // by the signal, without the lock
  EXPECT_EQ(found(k), "- scord iguard");
}

TEST(Limits, NotStrong) {
  K k(2, 32);
  k.write(kA);
  k.fence(kA);
  signal(k, kA, kB);
  k.read(kB);
  EXPECT_EQ(found(k), "- scord -");
}

TEST(Limits, Granularity) {
  for (const unsigned unit : {4U, 8U, 16U}) {
    Three::Options options;
    options.scord.granularity = options.iguard.granularity = unit;
    K k(2, 32, options);
    k.write(kA, kData);
    k.write(kB, kData + 4);
    EXPECT_EQ(found(k), unit == 4 ? "- - -" : "- scord iguard") << unit;
  }
  K bytes(2, 32);
  for (std::uint64_t i = 0; i < 2; ++i) {
    Step s = bytes.make({i, 0, 1}, StepKind::kWrite, kData + i);
    s.size = 1;
    bytes.put(s);
  }
  EXPECT_EQ(found(bytes), "- scord iguard") << "bytes of one word, at every granularity";
}

// Figure 10 of iGUARD: it counts this as a race of NVIDIA's library; the PTX memory model orders
// it, as fences are cumulative over barriers.
TEST(Limits, FenceOfAnother) {
  K k(2, 64);
  k.volatile_write({0, 1, 1}, kData);
  k.barrier(0);
  k.fence(kA);
  signal(k, kA, kB);
  k.fence(kB);
  k.volatile_read(kB, kData);
  EXPECT_EQ(found(k), "- scord iguard");
}

TEST(Limits, EarlierConvergence) {
  K k(1, 32);
  k.write({0, 0, 1});
  k.read({0, 0, 0b11}, kFlag);  // together: behind the write
  k.read({0, 0, 0b10});         // alone
  EXPECT_EQ(found(k), "- - iguard");
}

TEST(Limits, Sharing) {
  K k(1, 64);
  const By reader{0, 1, 1};
  k.read(kA);
  k.read(reader);  // two readers
  k.fence(kA);
  signal(k, kA, reader);
  k.write(reader);  // behind both; compared with its own read
  EXPECT_EQ(found(k), "- - iguard");
}

TEST(Limits, ScopeAlone) {
  K k(2, 32);
  k.add(kA, kData, Scope::kBlock);
  k.fence(kA);
  signal(k, kA, kB);
  k.add(kB, kData, Scope::kDevice);  // ordered by the signal
  EXPECT_EQ(found(k), "- scord iguard");
}

}  // namespace
}  // namespace redflag::gpu
