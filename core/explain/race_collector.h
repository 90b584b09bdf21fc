// RaceCollector: keeps the races a detector reports, in bounded memory, for the explainer.
//
// A racy loop reports millions of times. Races are grouped by what a person would call "the same
// place": the second access's source and kind and whether the first one wrote (or, in traces
// without sources, the address). Of each group the first few with different first accesses are
// kept, since those may turn out to come from different lines; the rest are counted. Keeping "the
// first by index" makes the result independent of how a trace was sharded: merge() of the shards'
// collections is what one process collects (up to kGroups places; beyond that, the numbers of
// repetitions may differ).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/model/race.h"

namespace redflag {

struct CollectedRace {
  Race race;
  std::uint64_t count = 1;
};
static_assert(sizeof(CollectedRace) == 104, "travels between ranks as bytes");

class RaceCollector final : public FindingSink {
 public:
  // A finding takes some kilobytes: these bound a report of nothing but distinct races to a few
  // hundred megabytes.
  static constexpr std::size_t kGroups = 5000;
  static constexpr std::size_t kPerGroup = 8;

  void on_race(const Race& race) override { add({race, 1}); }
  void add(const CollectedRace& collected);

  // In the order of the second access.
  std::vector<CollectedRace> races() const;
  std::uint64_t dropped() const { return dropped_; }  // of groups beyond kGroups

  // What one collector would have kept, had it seen all the shards' races.
  static RaceCollector merge(std::vector<CollectedRace> shards, std::uint64_t dropped);

 private:
  using GroupKey = std::tuple<std::uint64_t, std::uint8_t, std::uint8_t>;
  struct Group {
    std::vector<Race> kept;
    std::set<std::tuple<ThreadId, std::uint64_t, EventIndex>> firsts;  // of the kept ones
    std::uint64_t total = 0;
  };

  std::map<GroupKey, Group> groups_;
  std::uint64_t dropped_ = 0;
};

}  // namespace redflag
