#include "core/explain/race_collector.h"

#include <algorithm>

namespace redflag {
namespace {

bool earlier(const CollectedRace& a, const CollectedRace& b) {
  return std::tuple(a.race.second.index, a.race.addr, a.race.first.thread, a.race.first.clock) <
         std::tuple(b.race.second.index, b.race.addr, b.race.first.thread, b.race.first.clock);
}

}  // namespace

void RaceCollector::add(const CollectedRace& collected) {
  const Race& r = collected.race;
  const std::uint64_t place =
      r.second.source != kNoSource ? raw(r.second.source) : raw(r.addr) | std::uint64_t{1} << 63;
  const GroupKey group_key{place, static_cast<std::uint8_t>(r.second.kind),
                           static_cast<std::uint8_t>(r.first.kind)};
  auto it = groups_.find(group_key);
  if (it == groups_.end()) {
    if (groups_.size() >= kGroups) {
      dropped_ += collected.count;
      return;
    }
    it = groups_.emplace(group_key, Group{}).first;
  }
  Group& group = it->second;
  group.total += collected.count;
  if (group.kept.size() < kPerGroup &&
      group.firsts.emplace(r.first.thread, r.first.clock, r.first.index).second) {
    group.kept.push_back(r);
  }
}

std::vector<CollectedRace> RaceCollector::races() const {
  std::vector<CollectedRace> all;
  for (const auto& [key, group] : groups_) {
    // Which of the kept ones a repetition belongs to would depend on the sharding: the first has
    // them all.
    std::uint64_t count = group.total - (group.kept.size() - 1);
    for (const Race& race : group.kept) {
      all.push_back({race, count});
      count = 1;
    }
  }
  std::sort(all.begin(), all.end(), earlier);
  return all;
}

RaceCollector RaceCollector::merge(std::vector<CollectedRace> shards, std::uint64_t dropped) {
  std::sort(shards.begin(), shards.end(), earlier);
  RaceCollector merged;
  merged.dropped_ = dropped;
  for (const CollectedRace& race : shards) merged.add(race);
  return merged;
}

}  // namespace redflag
