// Random jobs, held to a model in which order is a path through a graph of events.
#include "core/detect/pgas/races.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "core/detect/pgas/access_of.h"
#include "core/detect/pgas/phase.h"

namespace redflag::pgas {
namespace {

using enum AccessKind;
constexpr Atomicity kSums{1, 1, 4, false};
constexpr Atomicity kMaxima{1, 2, 4, false};

// A job as a graph: an event is before another if there is a path; for certain, if there is one without
// locks. Quadratic, and nothing clever.
class Graph {
 public:
  std::size_t event(std::uint32_t thread) {
    before_.push_back({});
    certain_.push_back({});
    const std::size_t me = before_.size() - 1;
    if (last_.contains(thread)) edge(last_[thread], me);
    last_[thread] = me;
    return me;
  }
  void edge(std::size_t from, std::size_t to) {
    follow(before_, from, to);
    follow(certain_, from, to);
  }
  void edge_by_lock(std::size_t from, std::size_t to) { follow(before_, from, to); }
  bool is_before(std::size_t a, std::size_t b) const { return before_[b].contains(a); }
  bool is_certainly_before(std::size_t a, std::size_t b) const { return certain_[b].contains(a); }

 private:
  using Befores = std::vector<std::set<std::size_t>>;
  // `from` has all it will ever have: events come in an order that agrees with the edges.
  static void follow(Befores& before, std::size_t from, std::size_t to) {
    before[to].insert(before[from].begin(), before[from].end());
    before[to].insert(from);
  }
  Befores before_;
  Befores certain_;
  std::map<std::uint32_t, std::size_t> last_;
};

class Job {
 public:
  // `keeps`: as races_in's; 64 is as good as all, in jobs of this size.
  Job(std::uint64_t seed, std::size_t keeps)
      : random_(seed), has_home_(seed % 2 == 0), keeps_(keeps) {
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
  using Pair = std::pair<std::uint64_t, std::uint64_t>;  // of places
  static constexpr std::uint32_t kRanks = 3;
  static constexpr std::uint32_t kLocks = 2;
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
    switch (below(7)) {
      case 0:
        return flush(r);
      case 5:
        return take_lock(r, below(kLocks));
      case 6:
        return give_up_lock(r, below(kLocks));
      case 1: {
        const std::uint32_t to = below(kRanks);
        if (to == r) return;
        const std::size_t sent = graph_.event(r);
        clocks_[to].acquire(*t.release());
        graph_.edge(sent, graph_.event(to));
        return;
      }
      default: {
        static constexpr AccessKind kKinds[] = {kLoad,       kStore, kGet,        kPut,
                                                kAccumulate, kFetch, kAtomicLoad, kAtomicStore};
        Made m;
        AccessKind kind = kKinds[below(8)];
        if (info(kind).is_local && r != 0 && has_home_) kind = info(kind).writes ? kPut : kGet;
        m.access = access_of(t, kind, below(12) * 4, 4 + 4 * below(3),
                             static_cast<std::uint32_t>(made_.size() + 1));
        if (info(kind).is_local && below(2) == 0) {
          m.access.step = 8 + 4 * below(2);
          m.access.element = 4;
          m.access.end = m.access.begin + m.access.step * below(4) + 4;
        }
        if (info(m.access.kind).is_atomic) m.access.atomicity = below(3) == 0 ? kMaxima : kSums;
        m.pending = !info(m.access.kind).is_local;
        m.access.operation = made_.size() + 1;
        m.issue = m.complete = graph_.event(r);
        m.thread = r;
        add(m.access);
        if (!m.pending) m.access.operation = 0;
        phase_.add(m.access);
        made_.push_back(m);
      }
    }
  }

  static RankLock lock(std::uint32_t number) { return {1, number, 0, 1}; }

  void take_lock(std::uint32_t r, std::uint32_t number) {
    Lock& it = locks_[number];
    if (it.holder) return;
    it.holder = r;
    const std::size_t event = graph_.event(r);
    if (it.left != nullptr) {
      clocks_[r].acquire_by_lock(*it.left);
      graph_.edge_by_lock(it.given_up, event);
    }
    clocks_[r].hold(lock(number));
  }

  void give_up_lock(std::uint32_t r, std::uint32_t number) {
    Lock& it = locks_[number];
    if (it.holder != r) return;
    it.holder.reset();
    it.given_up = graph_.event(r);
    it.left = clocks_[r].release();
    clocks_[r].let_go(lock(number));
  }

  void flush(std::uint32_t r) {
    const Time time = clocks_[r].complete();
    const std::size_t event = graph_.event(r);
    for (Made& m : made_) {
      if (m.thread != r || !m.pending) continue;
      m.pending = false;
      m.complete = event;
      Fate& fate = history_.fates[m.access.operation - 1];
      fate.completed = time;
      fate.completed_by = clocks_[r].name();
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
    const auto put = [](const Race& race, std::set<Pair>& to, std::set<Pair>& predictions) {
      (race.is_predicted ? predictions : to)
          .insert(std::minmax(race.first.source, race.second.source));
    };
    for (const Race& race : phase_.check(true)) put(race, by_phases_, predicted_by_phases_);
    if (!last) return;
    std::set<Pair> found;
    std::set<Pair> predicted;
    for (const Race& race : races_in(history_, {keeps_, true})) {
      put(race, found, predicted);
      for (const Access* const each : {&race.first, &race.second}) {
        EXPECT_TRUE(has(*each, race.begin));
        EXPECT_TRUE(has(made_[each->source - 1].access, race.begin));
      }
    }
    std::set<Pair> expected;
    std::set<Pair> expected_predicted;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      for (std::size_t k = i + 1; k < made_.size(); ++k) {
        const Made& a = made_[i];
        const Made& b = made_[k];
        if (common_bytes(a.access, b.access).empty() ||
            are_compatible(view(a.access), view(b.access)))
          continue;
        // One thread's atomics are done in its order.
        if (a.thread == b.thread && info(a.access.kind).is_atomic &&
            info(b.access.kind).is_atomic) {
          continue;
        }
        const auto before = [&](const Made& x, const Made& y) {
          return graph_.is_before(x.complete, y.issue);
        };
        const auto certainly = [&](const Made& x, const Made& y) {
          return graph_.is_certainly_before(x.complete, y.issue);
        };
        const Pair places = std::minmax(a.access.source, b.access.source);
        if (!before(a, b) && !before(b, a)) {
          expected.insert(places);
        } else if (!certainly(a, b) && !certainly(b, a) &&
                   !exclude(a.access.issued->held(), b.access.issued->held())) {
          expected_predicted.insert(places);
        }
      }
    }
    if (keeps_ != 0) {
      EXPECT_EQ(found, expected);
      EXPECT_EQ(by_phases_, expected);
      EXPECT_EQ(predicted, expected_predicted);
      EXPECT_EQ(predicted_by_phases_, expected_predicted);
      return;
    }
    // Of the pairs some are left out, but none is invented, and each byte that races is named.
    for (const Pair& each : found) EXPECT_TRUE(expected.contains(each));
    for (const Pair& each : predicted) EXPECT_TRUE(expected_predicted.contains(each));
    EXPECT_EQ(bytes_of(found), bytes_of(expected));
    found.insert(predicted.begin(), predicted.end());
    expected.insert(expected_predicted.begin(), expected_predicted.end());
    EXPECT_EQ(bytes_of(found), bytes_of(expected));
  }

  std::set<std::uint64_t> bytes_of(const std::set<Pair>& pairs) const {
    std::set<std::uint64_t> bytes;
    for (const auto& [a, b] : pairs) {
      bytes.merge(common_bytes(made_[a - 1].access, made_[b - 1].access));
    }
    return bytes;
  }
  static bool has(const Access& a, std::uint64_t at) {
    return at >= a.begin && at < a.end && (a.step == 0 || (at - a.begin) % a.step < a.element);
  }
  static std::set<std::uint64_t> common_bytes(const Access& a, const Access& b) {
    std::set<std::uint64_t> bytes;
    for (std::uint64_t at = a.begin; at < a.end; ++at) {
      if (has(a, at) && has(b, at)) bytes.insert(at);
    }
    return bytes;
  }

  void add(const Access& a) {
    history_.shapes.push_back(a);
    history_.fates.push_back(a);
    const auto n = static_cast<std::uint32_t>(history_.shapes.size() - 1);
    history_.items.push_back({a.begin, a.end, a.at, n, n});
  }

  std::mt19937_64 random_;
  bool has_home_;  // all loads and stores are of rank 0
  std::vector<ThreadClock> clocks_;
  std::uint32_t phase_number_ = 0;
  Graph graph_;
  std::size_t keeps_;
  History history_;  // of all phases
  Phase phase_;      // the same, ended at each barrier
  std::set<Pair> by_phases_;
  std::set<Pair> predicted_by_phases_;
  struct Lock {
    std::optional<std::uint32_t> holder;
    std::shared_ptr<const Knowledge> left;  // what the last holder knew
    std::size_t given_up = 0;
  };
  std::array<Lock, kLocks> locks_;
  std::vector<Made> made_;
};

TEST(RandomJobs, RaceWhereThereIsNoPath) {
  for (std::uint64_t seed = 1; seed <= 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Job(seed, 64).run();
  }
}

TEST(RandomJobs, RaceOnTheSameBytesWhereWhatIsCoveredIsLeftOut) {
  for (std::uint64_t seed = 1; seed <= 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Job(seed, 0).run();
  }
}

// Where nothing conflicts, it is not the number of accesses that is looked at.
TEST(Races, ManyAtomicsAlikeAreLeftOut) {
  History history;
  ThreadClock a({0, 0});
  ThreadClock b({1, 0});
  history.fates.push_back({});
  for (ThreadClock* t : {&a, &b}) {
    Access one = access_of(*t, kAccumulate, 0, 8, 1);
    one.atomicity = kSums;
    history.shapes.push_back(one);
  }
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    history.items.push_back(
        {i * 8 % 800, i * 8 % 800 + 8, 1, static_cast<std::uint32_t>(i % 2), 0});
  }
  EXPECT_TRUE(races_in(history, {}).empty());  // of 500 million pairs
}

// A loop of loads that calls the library in between, against a put of the flag.
// Columns, rows and single elements of a small matrix, by operations of three ranks and loads and stores of
// one: what is found is what is found of them element by element.
TEST(Races, OfStridedOperationsAreThoseOfTheirElements) {
  std::size_t races = 0;
  std::size_t quiet = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    History history;
    const auto known = std::make_shared<const Knowledge>();
    for (std::uint64_t n = 2 + below(6); n > 0; --n) {
      constexpr std::array kKinds{kPut, kGet, kOriginRead, kOriginWrite, kLoad, kStore};
      Shape shape;
      shape.kind = kKinds[below(kKinds.size())];
      shape.by = {info(shape.kind).is_local ? 0 : static_cast<std::uint32_t>(below(3)), 0};
      shape.issued = known;
      shape.source = 1 + n;
      constexpr std::uint64_t kWidth = 64;
      const std::uint64_t row = below(6);
      const std::uint64_t begin = row * kWidth + below(8) * 8;
      std::uint64_t end = begin + 8 * (1 + below(2));
      if (below(2) == 0) {
        shape.element = static_cast<std::uint32_t>(end - begin);
        shape.step = below(4) == 0 ? 2 * kWidth : kWidth;
        end += (1 + below(4)) * shape.step;
      }
      Fate fate;  // some are over at once, in the order of their numbers
      if (info(shape.kind).is_local) {
        fate.completed = {0, kAtOnce};
        fate.completed_by = shape.by;
      }
      const auto number = static_cast<std::uint32_t>(history.shapes.size());
      history.shapes.push_back(shape);
      history.fates.push_back(fate);
      history.items.push_back({begin, end, 1 + n, number, number});
    }
    const auto places = [](const std::vector<Race>& all) {
      std::set<std::pair<std::uint64_t, std::uint64_t>> made;
      for (const Race& each : all) made.insert(std::minmax(each.first.source, each.second.source));
      return made;
    };
    const auto expected = places(races_in(history.cut(), {}));
    ASSERT_EQ(places(races_in(history, {})), expected) << seed;
    races += expected.size();
    quiet += expected.empty() ? 1 : 0;
  }
  EXPECT_GT(races, 2000U);
  EXPECT_GT(quiet, 400U);
}

TEST(Races, LoadsOfOnePlaceAtSeveralTimesArePolling) {
  for (const unsigned loads : {2U, 3U}) {
    Phase phase;
    ThreadClock owner({0, 0});
    ThreadClock writer({1, 0});
    phase.add(access_of(writer, kPut, 0, 4, 1));
    for (unsigned i = 0; i < loads; ++i) {
      phase.add(access_of(owner, kLoad, 0, 4, 2));
      owner.complete();
    }
    const std::vector<Race> races = phase.check();
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].is_polling, loads >= 3);
  }
}

TEST(RankLocks, ExcludeUnlessBothAreShared) {
  const RankLock exclusive{1, 0, 2, 1};
  const RankLock shared{1, 0, 2, 0};
  const RankLock of_all{1, 0, kEveryRank, 0};
  EXPECT_TRUE(exclude(exclusive, shared));
  EXPECT_TRUE(exclude(of_all, exclusive));
  EXPECT_FALSE(exclude(shared, shared));
  EXPECT_FALSE(exclude(of_all, shared));
  EXPECT_FALSE(exclude(exclusive, RankLock{1, 0, 3, 1}));  // at another rank
  EXPECT_FALSE(exclude(exclusive, RankLock{2, 0, 2, 1}));  // of another window
}

}  // namespace
}  // namespace redflag::pgas
