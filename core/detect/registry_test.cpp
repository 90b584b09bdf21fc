// What holds for every detector of the table, and the trivial ones.
#include "core/detect/registry.h"

#include <set>

#include "core/detect/testing.h"
#include "core/detect/trivial/trivial.h"

namespace redflag {
namespace {

using namespace make;

TEST(Registry, NamesAreDistinctAndFound) {
  std::set<std::string_view> names;
  for (const DetectorInfo& d : kDetectors) {
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    EXPECT_EQ(find_detector(d.name), &d);
    EXPECT_FALSE(d.summary.empty());
  }
  EXPECT_EQ(find_detector("no-such"), nullptr);
  EXPECT_NE(find_detector(kDefaultDetector), nullptr);
}

TEST(Registry, DetectorsThatClaimToFindRacesDo) {
  const std::vector<Event> racy{fork(0, 1), write(0, 0x1000), write(1, 0x1000)};
  for (const DetectorInfo& d : kDetectors) {
    PageResource memory;
    RecordingSink sink;
    const auto detector = d.make({.memory = &memory, .sink = &sink});
    detector->on_events(racy, EventIndex{0});
    detector->finish();
    EXPECT_EQ(!sink.races.empty(), d.finds_races) << d.name;
  }
}

// Ill-formed streams are the checker's to report; a detector must survive them.
TEST(Registry, DetectorsSurviveNonsense) {
  const std::uint64_t top = ~std::uint64_t{0};
  const std::vector<Event> nonsense{release(3, 9),
                                    join(0, 0),
                                    fork(0, 0),
                                    fork(0, 1),
                                    fork(1, 1),
                                    join(1, 7),
                                    write(7, 0x1000),
                                    end(2),
                                    write(2, 0x1000),
                                    barrier_exit(0, 5),
                                    barrier_enter(0, 5),
                                    barrier_enter(0, 5),
                                    barrier_exit(0, 5),
                                    release_shared(0, top),
                                    acquire(0, top),
                                    join(2, 1),
                                    write(1, 0x1000),
                                    write(0, top - 8, 8),
                                    read(1, top - 4, 4),
                                    free(0, top - 16, 16),
                                    alloc(1, top - 16, 16)};
  for (const DetectorInfo& d : kDetectors) {
    PageResource memory;
    RecordingSink sink;
    const auto detector = d.make({.memory = &memory, .sink = &sink, .sweep_bytes = 1});
    for (int i = 0; i < 3; ++i) detector->on_events(nonsense, EventIndex{i * nonsense.size()});
    detector->finish();
  }
}

TEST(Registry, ShardsTogetherFindWhatOneFinds) {
  std::vector<Event> events{fork(0, 1)};
  for (std::uint64_t page = 0; page < 50; ++page) {
    events.push_back(write(0, 0x100000 + page * 4096 + 4090, 12));
    events.push_back(write(1, 0x100000 + page * 4096 + 4090, 12));
  }
  for (const DetectorInfo& d : kDetectors) {
    if (!d.finds_races) continue;
    const auto find = [&](Shard shard) {
      PageResource memory;
      RecordingSink sink;
      d.make({.memory = &memory, .sink = &sink, .shard = shard})->on_events(events, EventIndex{0});
      return sink.races;
    };
    const std::vector<Race> whole = find({0, 1});
    std::vector<Race> parts;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::vector<Race> part = find({i, 3});
      EXPECT_LT(part.size(), whole.size());
      parts.insert(parts.end(), part.begin(), part.end());
    }
    std::sort(parts.begin(), parts.end(), [](const Race& a, const Race& b) {
      return std::tuple(a.second.index, a.addr) < std::tuple(b.second.index, b.addr);
    });
    EXPECT_EQ(parts, whole) << d.name;
  }
}

TEST(Trivial, CountCounts) {
  Bench<trivial::Count> bench;
  bench.run({read(0, 8), read(0, 8), write(0, 8)});
  EXPECT_EQ(stat(bench.detector(), "read"), 2);
  EXPECT_EQ(stat(bench.detector(), "write"), 1);
}

TEST(Trivial, PrintShowsEveryEventInOrder) {
  std::vector<Event> shown;
  const std::vector<Event> events{read(0, 8), write(0, 8)};
  Bench<trivial::Print> bench({.print = [&shown](const Event& e) { shown.push_back(e); }});
  bench.run(events);
  EXPECT_EQ(shown, events);
}

}  // namespace
}  // namespace redflag
