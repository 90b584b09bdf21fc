// Rules by name, and random jobs held to a model in which order is a path through a graph of events.
#include "core/detect/pgas/phase.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "core/detect/pgas/thread_clock.h"

namespace redflag::pgas {
namespace {

Access access_of(ThreadClock& t, AccessKind kind, std::uint64_t begin, std::uint64_t size,
                 std::uint32_t source) {
  Access a;
  a.begin = begin;
  a.end = begin + size;
  a.kind = kind;
  a.by = t.name();
  a.issued = info(kind).is_local ? t.access() : t.issue();
  if (info(kind).is_local) a.completed = t.time();
  a.completed_by = t.name();
  a.source = source;
  return a;
}

class Rules : public testing::Test {
 protected:
  ThreadClock origin{{0, 0}};
  ThreadClock owner{{1, 0}};
  ThreadClock third{{2, 0}};
  Phase phase;

  void put(ThreadClock& by, Time completed, std::uint32_t source = 1) {
    Access a = access_of(by, AccessKind::kPut, 0, 8, source);
    a.completed = completed;
    phase.add(a);
  }
  void put_and_flush() {
    Access a = access_of(origin, AccessKind::kPut, 0, 8, 1);
    a.completed = origin.complete();
    phase.add(a);
  }
  void load(ThreadClock& by) { phase.add(access_of(by, AccessKind::kLoad, 0, 8, 9)); }
};

TEST_F(Rules, AFlushAndAMessageOrder) {
  put_and_flush();
  owner.acquire(*origin.release());
  load(owner);
  EXPECT_TRUE(phase.check().empty());
}

TEST_F(Rules, AFlushThatNobodyLearnsOfOrdersNothing) {
  put_and_flush();
  load(owner);
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, AMessageBeforeTheFlushOrdersNothing) {
  Access put = access_of(origin, AccessKind::kPut, 0, 8, 1);
  owner.acquire(*origin.release());
  put.completed = origin.complete();
  phase.add(put);
  load(owner);
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, TheOrderIsTransitive) {
  put_and_flush();
  third.acquire(*origin.release());
  owner.acquire(*third.release());
  load(owner);
  EXPECT_TRUE(phase.check().empty());
}

TEST_F(Rules, AGetIsUnderWayForItsOwnThread) {
  phase.add(access_of(origin, AccessKind::kOriginWrite, 0, 8, 1));
  load(origin);
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, ABufferThatIsSentFromMayBeLoadedButNotStored) {
  phase.add(access_of(origin, AccessKind::kOriginRead, 0, 8, 1));
  load(origin);
  EXPECT_TRUE(phase.check().empty());
  phase.add(access_of(origin, AccessKind::kStore, 4, 4, 2));
  EXPECT_EQ(phase.check().size(), 1U);
}

TEST_F(Rules, TwoPutsOfOneThreadRaceUntilTheFirstIsComplete) {
  put(origin, kPending, 1);
  put(origin, kPending, 2);
  EXPECT_EQ(phase.check().size(), 1U);
}

struct Together {
  const char* name;
  AccessKind one, other;
  Atomicity x, y;
  std::uint64_t apart;
  bool race;
};
class Atomics : public testing::TestWithParam<Together> {};

TEST_P(Atomics, MayMeetOnlyAlike) {
  const Together& p = GetParam();
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  Access one = access_of(a, p.one, 100, 8, 1);
  Access other = access_of(b, p.other, 100 + p.apart, 8, 2);
  one.atomicity = p.x;
  other.atomicity = p.y;
  EXPECT_EQ(is_race(one, other), p.race);
  EXPECT_EQ(is_race(other, one), p.race);
}

constexpr Atomicity kSum4{1, 1, 4, false};
constexpr Atomicity kMax4{1, 2, 4, false};
constexpr Atomicity kSum4Any{1, 1, 4, true};
constexpr Atomicity kMax4Any{1, 2, 4, true};
constexpr Atomicity kSum8{2, 1, 8, false};
using enum AccessKind;
INSTANTIATE_TEST_SUITE_P(
    All, Atomics,
    testing::Values(Together{"SameOperation", kAccumulate, kAccumulate, kSum4, kSum4, 0, false},
                    Together{"NextElement", kAccumulate, kAccumulate, kSum4, kSum4, 4, false},
                    Together{"OutOfStep", kAccumulate, kAccumulate, kSum4, kSum4, 2, true},
                    Together{"OtherType", kAccumulate, kAccumulate, kSum4, kSum8, 0, true},
                    Together{"OtherOperation", kAccumulate, kAccumulate, kSum4, kMax4, 0, true},
                    Together{"AnyOperation", kAccumulate, kAccumulate, kSum4Any, kMax4Any, 0,
                             false},
                    Together{"FetchAndAnyOperation", kFetch, kAccumulate, kMax4, kSum4, 0, false},
                    Together{"FetchOfOtherType", kFetch, kAccumulate, kSum8, kSum4, 0, true},
                    Together{"Fetches", kFetch, kFetch, kSum8, kSum4, 0, false},
                    Together{"Put", kAccumulate, kPut, kSum4, {}, 0, true},
                    Together{"Get", kAccumulate, kGet, kSum4, {}, 0, true},
                    Together{"GetAndFetch", kFetch, kGet, kSum4, {}, 0, false},
                    Together{"Load", kAccumulate, kLoad, kSum4, {}, 0, true},
                    Together{"Apart", kAccumulate, kStore, kSum4, {}, 8, false}),
    [](const auto& which) { return which.param.name; });

TEST(PhaseTest, AWalkIsOneAccess) {
  ThreadClock a({0, 0});
  Phase phase;
  for (std::uint64_t k = 0; k < 1000; ++k)
    phase.add(access_of(a, kStore, (k * 37 % 1000) * 8, 8, 1));
  EXPECT_TRUE(phase.check().empty());
  EXPECT_EQ(phase.size(), 1U);
}

TEST(PhaseTest, OnlyWhatIsPendingGoesOn) {
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  Phase phase;
  phase.add(access_of(a, kStore, 0, 8, 1));
  Access put = access_of(b, kPut, 64, 8, 2);
  put.operation = 5;
  phase.add(put);
  EXPECT_TRUE(phase.check().empty());
  a.enter(1);
  b.enter(1);
  phase.end(a.known());
  EXPECT_EQ(phase.size(), 1U);
  phase.add(access_of(a, kLoad, 64, 1, 3));
  phase.complete(1, 5, b.complete(), b.name());
  EXPECT_EQ(phase.check().size(), 1U);
  a.enter(2);
  phase.end(a.known());
  EXPECT_EQ(phase.size(), 0U);
}

// A job as a graph: an event is before another if there is a path. Quadratic, and nothing clever.
class Graph {
 public:
  std::size_t event(std::uint32_t thread) {
    before_.push_back({});
    const std::size_t me = before_.size() - 1;
    if (last_.contains(thread)) follow(last_[thread], me);
    last_[thread] = me;
    return me;
  }
  void edge(std::size_t from, std::size_t to) { follow(from, to); }
  bool is_before(std::size_t a, std::size_t b) const { return before_[b].contains(a); }

 private:
  // `from` has all it will ever have: events come in an order that agrees with the edges.
  void follow(std::size_t from, std::size_t to) {
    before_[to].insert(before_[from].begin(), before_[from].end());
    before_[to].insert(from);
  }
  std::vector<std::set<std::size_t>> before_;
  std::map<std::uint32_t, std::size_t> last_;
};

class Job {
 public:
  explicit Job(std::uint64_t seed) : random_(seed) {
    for (std::uint32_t r = 0; r < kRanks; ++r) clocks_.emplace_back(ThreadName{r, 0});
  }

  void run() {
    const unsigned phases = 1 + below(3);
    for (unsigned p = 0; p < phases; ++p) {
      for (unsigned k = below(25); k > 0; --k) step();
      compare(p + 1 == phases);
      if (p + 1 != phases) barrier();
    }
  }

 private:
  static constexpr std::uint32_t kRanks = 3;
  struct Made {
    Access access;
    std::size_t issue = 0;
    std::size_t complete = 0;
    bool pending = false;
    std::uint32_t thread = 0;
  };

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  void step() {
    const std::uint32_t r = below(kRanks);
    ThreadClock& t = clocks_[r];
    switch (below(5)) {
      case 0:
        return flush(r);
      case 1: {
        const std::uint32_t to = below(kRanks);
        if (to == r) return;
        const std::size_t sent = graph_.event(r);
        clocks_[to].acquire(*t.release());
        graph_.edge(sent, graph_.event(to));
        return;
      }
      default: {
        static constexpr AccessKind kKinds[] = {kLoad, kStore, kGet, kPut, kAccumulate, kFetch};
        Made m;
        m.access = access_of(t, kKinds[below(6)], below(12) * 4, 4 + 4 * below(3),
                             static_cast<std::uint32_t>(made_.size() + 1));
        if (info(m.access.kind).is_atomic) m.access.atomicity = below(3) == 0 ? kMax4 : kSum4;
        m.pending = !info(m.access.kind).is_local;
        m.access.operation = m.pending ? made_.size() + 1 : 0;
        m.issue = m.complete = graph_.event(r);
        m.thread = r;
        phase_.add(m.access);
        made_.push_back(m);
      }
    }
  }

  void flush(std::uint32_t r) {
    const Time time = clocks_[r].complete();
    const std::size_t event = graph_.event(r);
    for (Made& m : made_) {
      if (m.thread != r || !m.pending) continue;
      m.pending = false;
      m.complete = event;
      phase_.complete(r, m.access.operation, time, clocks_[r].name());
    }
  }

  void barrier() {
    ++phase_number_;
    std::vector<std::size_t> in;
    for (std::uint32_t r = 0; r < kRanks; ++r) in.push_back(graph_.event(r));
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      const std::size_t out = graph_.event(r);
      for (const std::size_t each : in) graph_.edge(each, out);
      clocks_[r].enter(phase_number_);
    }
    phase_.end(clocks_[0].known());
  }

  void compare(bool last) {
    if (last) {
      for (std::uint32_t r = 0; r < kRanks; ++r) flush(r);
    }
    for (const Race& race : phase_.check()) {
      found_.insert(std::minmax(race.first.source, race.second.source));
    }
    if (!last) return;
    std::set<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      for (std::size_t k = i + 1; k < made_.size(); ++k) {
        const Made& a = made_[i];
        const Made& b = made_[k];
        if (!overlap(a.access, b.access) || are_compatible(a.access, b.access)) continue;
        // One thread's atomics are done in its order.
        if (a.thread == b.thread && info(a.access.kind).is_atomic &&
            info(b.access.kind).is_atomic) {
          continue;
        }
        const auto before = [&](const Made& x, const Made& y) {
          return graph_.is_before(x.complete, y.issue);
        };
        if (!before(a, b) && !before(b, a)) {
          expected.insert(std::minmax(a.access.source, b.access.source));
        }
      }
    }
    EXPECT_EQ(found_, expected);
  }

  std::mt19937_64 random_;
  std::vector<ThreadClock> clocks_;
  std::uint32_t phase_number_ = 0;
  Graph graph_;
  Phase phase_;
  std::vector<Made> made_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> found_;
};

TEST(RandomJobs, RaceWhereThereIsNoPath) {
  for (std::uint64_t seed = 1; seed <= 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Job(seed).run();
  }
}

}  // namespace
}  // namespace redflag::pgas
