// A process with one thread, and somebody who listens: what is told, what is left out, and that nothing of it
// becomes a race when a second thread begins.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "core/live/rig.h"

namespace redflag::live {
namespace {

constexpr std::uint64_t kWindow = 8192;
constexpr Heard kHeard[] = {{kMemory + 100, kMemory + 300}, {kMemory + 2048, kMemory + 4096}};
constexpr std::uint64_t kPc = 0x2000;

struct Told : Strided {
  bool leaves_mark;
};
std::vector<Told>& told() {
  static std::vector<Told> all;
  return all;
}

class Alone {
 public:
  explicit Alone(bool takes_ranges) : thread(rig.thread(0)) {
    told().clear();
    rig->listener = listener_to(
        [](Thread&, const Access& a, std::uint64_t begin, std::uint64_t end) {
          told().push_back({Strided{begin, end}, a.leaves_mark});
        },
        kHeard, 2);
    rig->listener.tell_strided = [](Thread&, const Access& a, const Strided& all) {
      told().push_back({Strided(all), a.leaves_mark});
    };
    rig->listener.is_all = true;
    rig->listener.takes_ranges = takes_ranges;
  }
  Thread& second() {  // as the runtime does
    rig->listener.is_all = rig->listener.takes_ranges = false;
    return rig.thread(1, &thread);
  }

  Rig rig;
  Thread& thread;
};

bool is_heard(std::uint64_t at) {
  return std::any_of(std::begin(kHeard), std::end(kHeard),
                     [&](const Heard& each) { return at >= each.begin && at < each.end; });
}

TEST(Alone, MemoryThatNobodyHearsIsLeftOutPieceByPiece) {
  Alone a(false);
  a.rig->check_few<true>(a.thread, kMemory + 1024, 8, kPc);
  const auto cell = [&](std::uint64_t at) { return LinearMemory::cell(kMemory + at).load(); };
  EXPECT_EQ(cell(1024), a.thread.view.me);
  EXPECT_EQ(cell(2040), a.thread.view.me);
  EXPECT_EQ(cell(2048), 0U);  // the next piece, and heard
  a.rig->check_few<false>(a.thread, kMemory + 8, 4, kPc);
  EXPECT_EQ(cell(0), a.thread.view.me);
  EXPECT_EQ(cell(96), 0U);  // 100 to 104 are heard
  EXPECT_EQ(cell(296), 0U);
  EXPECT_EQ(cell(304), a.thread.view.me);
  EXPECT_TRUE(told().empty());
}

// Every byte that is heard is told, by whatever way it is accessed; and again, once that which left a mark is
// forgotten.
TEST(Alone, WhatIsHeardIsTold) {
  for (const bool takes_ranges : {false, true}) {
    Alone a(takes_ranges);
    std::mt19937_64 random(7);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    for (int round = 0; round < 300; ++round) {
      told().clear();
      std::set<std::uint64_t> expected;
      for (int k = 0; k < 20; ++k) {
        const bool is_write = below(2) == 0;
        std::uint64_t size = std::uint64_t{1} << below(4);
        std::uint64_t step = 0;
        std::uint64_t count = 1;
        const std::uint64_t at = kMemory + below(kWindow / 16) * 8;
        switch (below(4)) {
          case 0:
            a.rig->access(a.thread, at, static_cast<unsigned>(size), is_write, kPc);
            break;
          case 1:
            size = 1 + below(2000);
            a.rig->range(a.thread, at, size, is_write ? LogKind::kWrite : LogKind::kRead, kPc);
            break;
          case 2:
            step = size + 8 * (1 + below(3));
            count = 2 + below(60);
            a.rig->strided(a.thread, at, static_cast<std::int64_t>(step), count,
                           static_cast<unsigned>(size), is_write, kPc);
            break;
          default:
            a.rig->access(a.thread, at, static_cast<unsigned>(size), is_write, kPc + below(3) * 16);
        }
        for (std::uint64_t i = 0; i < count; ++i) {
          for (std::uint64_t b = 0; b < size; ++b) {
            if (is_heard(at + i * step + b)) expected.insert(at + i * step + b);
          }
        }
      }
      std::set<std::uint64_t> bytes;
      for (const Told& each : told()) {
        for (std::uint64_t i = 0; i < each.count; ++i) {
          for (std::uint64_t b = each.begin; b < each.end; ++b) {
            if (is_heard(b + i * each.step)) bytes.insert(b + i * each.step);
          }
        }
      }
      ASSERT_EQ(bytes, expected) << "round " << round;
      for (const Told& each : told()) {
        if (each.leaves_mark) a.rig->forget_alone(each.begin, each.last() - each.begin);
      }
    }
    EXPECT_TRUE(a.rig.take_races().empty());
  }
}

TEST(Alone, WhatWasDoneAloneRacesWithNothing) {
  Alone a(true);
  for (std::uint64_t at = 0; at < kWindow; at += 512) {
    a.rig->check_few<true>(a.thread, kMemory + at, 8, kPc);
    a.rig->range(a.thread, kMemory + at, 400, LogKind::kWrite, kPc);
  }
  Thread& second = a.second();
  a.rig->range(second, kMemory, kWindow, LogKind::kWrite, kPc);
  EXPECT_TRUE(a.rig.take_races().empty());
}

TEST(Alone, WhatComesBehindDoes) {
  Alone a(true);
  a.rig->check_few<true>(a.thread, kMemory + 1024, 8, kPc);
  Thread& second = a.second();
  a.rig->access(a.thread, kMemory + 1024, 8, true, kPc);
  a.rig->access(a.thread, kMemory + 1032, 8, true, kPc);
  a.rig->access(second, kMemory + 1024, 8, false, kPc);
  a.rig->access(second, kMemory + 1032, 8, true, kPc);
  EXPECT_EQ(a.rig.take_races().size(), 2U);
}

TEST(Alone, AtomicsAreToldOncePerEpoch) {
  Alone a(false);
  const auto add = [&](std::uint64_t at, MemoryOrder order) {
    LockedRecords records;
    a.rig->atomic_begin(a.thread, kMemory + at, 4, records);
    a.rig->atomic_end(a.thread, kMemory + at, 4, AtomicOp::kModify, order, kPc, 0, records);
  };
  add(200, MemoryOrder::kRelaxed);
  add(200, MemoryOrder::kRelaxed);
  ASSERT_EQ(told().size(), 1U);
  EXPECT_EQ(told()[0].begin, kMemory + 200);
  EXPECT_EQ(told()[0].end, kMemory + 204);
  add(200, MemoryOrder::kRelease);  // a new epoch behind it
  add(200, MemoryOrder::kRelaxed);
  EXPECT_EQ(told().size(), 2U);
  add(1024, MemoryOrder::kRelaxed);  // nobody hears it
  EXPECT_EQ(told().size(), 2U);
}

}  // namespace
}  // namespace redflag::live
