// One system thread plays several, and every access of every kind is held to FastTrack by the byte,
// written out here with nothing clever in it: whole vector clocks, all reads since the last write.
//
// Until a byte's first race the two agree exactly: the race is reported at the access that completes
// it, once, with an earlier access that is not ordered. What comes later on that byte is free.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "core/live/player.h"

namespace redflag::live {
namespace {

constexpr std::uint32_t kThreads = 4;
constexpr std::uint64_t kWindow = 64;

class Model {
 public:
  Model() {
    for (std::uint32_t t = 0; t < kThreads; ++t) knows_[t][t] = 1;
  }
  void acquire(std::uint32_t t, std::uint64_t lock) { join(knows_[t], locks_[lock]); }
  void release(std::uint32_t t, std::uint64_t lock) {
    join(locks_[lock], knows_[t]);
    ++knows_[t][t];
  }
  // Which threads the access races with, and whether by a write; nothing on bytes that had a race.
  struct Found {
    bool with_write = false;
    std::set<std::uint32_t> threads;
  };
  Found access(std::uint32_t t, std::uint64_t at, bool write) {
    Byte& b = bytes_[at];
    Found found;
    if (!b.raced) {
      if (b.write > knows_[t][b.writer]) {
        found.with_write = true;
        found.threads.insert(b.writer);
      }
      for (std::uint32_t u = 0; u < kThreads && write && !found.with_write; ++u) {
        if (b.reads[u] > knows_[t][u]) found.threads.insert(u);
      }
      b.raced = !found.threads.empty();
    }
    if (write) {
      b.writer = t;
      b.write = knows_[t][t];
      b.reads = {};
    } else {
      b.reads[t] = knows_[t][t];
    }
    return found;
  }
  bool raced(std::uint64_t at) const { return bytes_[at].raced; }

 private:
  using Clock = std::array<std::uint64_t, kThreads>;
  static void join(Clock& into, const Clock& from) {
    for (std::uint32_t u = 0; u < kThreads; ++u) into[u] = std::max(into[u], from[u]);
  }
  struct Byte {
    bool raced = false;
    std::uint32_t writer = 0;
    std::uint64_t write = 0;
    Clock reads{};
  };
  std::array<Clock, kThreads> knows_{};
  std::array<Clock, 3> locks_{};
  std::array<Byte, kWindow> bytes_;
};

struct Setting {
  const char* name;
  unsigned sizes;  // 1: bytes; 2: halves; 4: whole granules; the sum: any of them; 8: any bytes
  unsigned sweeps_in;
};

class Play {
 public:
  Play(const Setting& setting, std::uint64_t seed) : random_(seed), setting_(setting) {
    for (std::uint32_t k = 0; k < kThreads; ++k) threads_[k] = &rig_.thread(k);
  }

  void run(unsigned steps) {
    for (unsigned k = 0; k < steps && !testing::Test::HasFailure(); ++k) step();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void step() {
    const auto k = static_cast<std::uint32_t>(below(kThreads));
    Thread& t = *threads_[k];
    if (setting_.sweeps_in != 0 && below(setting_.sweeps_in) == 0) rig_->sweep(nullptr);
    switch (below(6)) {
      case 0: {
        const std::uint64_t lock = below(3);
        rig_->acquire(t, kLocks + lock * 64);
        model_.acquire(k, lock);
        break;
      }
      case 1: {
        const std::uint64_t lock = below(3);
        rig_->release(t, kLocks + lock * 64, false);
        model_.release(k, lock);
        break;
      }
      default:
        touch(k, t);
    }
  }

  void touch(std::uint32_t k, Thread& t) {
    std::uint64_t size = 1 + below(16);
    std::uint64_t at = below(kWindow - size + 1);
    if (setting_.sizes != 8) {
      do {
        size = std::uint64_t{1} << below(3);
      } while ((setting_.sizes & size) == 0);
      size = size == 1 ? 1 : size * 2;
      at = below(kWindow / size) * size;
    }
    const bool write = below(2) == 0;
    const std::uint64_t addr = kMemory + at;
    const auto n = static_cast<unsigned>(size);
    switch (below(3)) {
      case 0:
        rig_->access(t, addr, n, write, 1);
        break;
      case 1:
        rig_->range(t, addr, size, write ? LogKind::kWrite : LogKind::kRead, 1);
        break;
      default:
        rig_->strided(t, addr, 8, 1, n, write, 1);
    }
    compare(k, at, size, write);
  }

  void compare(std::uint32_t k, std::uint64_t at, std::uint64_t size, bool write) {
    const auto races = rig_.take_races();
    for (std::uint64_t b = at; b < at + size; ++b) {
      const bool before = model_.raced(b);
      const Model::Found found = model_.access(k, b, write);
      if (before) continue;
      const Rig::Told* told = nullptr;
      for (const Rig::Told& r : races) {
        if (kMemory + b < r.race.addr || kMemory + b >= r.race.addr + r.race.size) continue;
        EXPECT_EQ(told, nullptr) << "byte " << b << " told of twice: " << Rig::words(races);
        told = &r;
      }
      ASSERT_EQ(told != nullptr, model_.raced(b))
          << "byte " << b << " accessed by " << k << ": " << Rig::words(races);
      if (told == nullptr) continue;
      EXPECT_EQ(told->by, k);
      EXPECT_EQ(told->race.earlier_wrote, found.with_write) << Rig::words(races);
      EXPECT_TRUE(found.threads.contains(told->earlier)) << Rig::words(races);
    }
    for (const auto& [addr, times] : rig_.bytes_of(races)) {
      EXPECT_TRUE(addr >= kMemory + at && addr < kMemory + at + size) << "not accessed";
    }
  }

  Rig rig_;
  Model model_;
  std::array<Thread*, kThreads> threads_{};
  std::mt19937_64 random_;
  Setting setting_;
};

class Accesses : public testing::TestWithParam<Setting> {
 protected:
  static void play() {
    const std::uint64_t first = seed_of_tests();
    for (std::uint64_t seed = first; seed < first + 60 && !HasFailure(); ++seed) {
      SCOPED_TRACE("REDFLAG_SEED=" + std::to_string(seed));
      // Short and long: most bytes race early, few late.
      Play(GetParam(), seed).run(seed % 2 == 0 ? 60 : 400);
    }
  }
};

TEST_P(Accesses, AreThoseOfFastTrackByTheByte) {
  play();
}

INSTANTIATE_TEST_SUITE_P(All, Accesses,
                         testing::Values(Setting{"Bytes", 1, 0}, Setting{"Halves", 2, 0},
                                         Setting{"Whole", 4, 0}, Setting{"BytesAndHalves", 3, 0},
                                         Setting{"HalvesAndWhole", 6, 0},
                                         Setting{"BytesAndWhole", 5, 0}, Setting{"All", 7, 0},
                                         Setting{"Any", 8, 0}, Setting{"HalvesSwept", 2, 5},
                                         Setting{"HalvesAndWholeSwept", 6, 5},
                                         Setting{"AllSwept", 7, 5}, Setting{"AnySwept", 8, 5}),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace redflag::live
