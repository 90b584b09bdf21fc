#include "tests/oracle/compare.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "core/detect/oracle/oracle.h"
#include "core/detect/registry.h"
#include "core/explain/explainer.h"
#include "core/trace/check.h"
#include "core/trace/text_writer.h"
#include "tests/oracle/live_adapter.h"
#include "tests/oracle/parsnip_variants.h"

namespace redflag {
namespace {

struct AllRaces final : FindingSink {
  void on_race(const Race& race) override { races.push_back(race); }
  std::vector<Race> races;
};

// The first racing access of every byte.
std::map<Addr, EventIndex> first_of_each_byte(const std::vector<Race>& races) {
  std::map<Addr, EventIndex> first;
  for (const Race& r : races) {
    for (std::uint32_t i = 0; i < r.size; ++i) first.emplace(r.addr + i, r.second.index);
  }
  return first;
}

DetectorOptions detector_options(const CompareOptions& options, PageResource& memory,
                                 FindingSink& sink) {
  DetectorOptions made;
  made.memory = &memory;
  made.sink = &sink;
  made.volatile_meaning = options.volatile_meaning;
  made.threads_appear = false;
  made.sweep_bytes = options.sweep_bytes;
  return made;
}

std::unique_ptr<Detector> make(std::string_view name, const DetectorOptions& options) {
  if (name.starts_with("live")) {
    return std::make_unique<LiveAdapter>(options, name.ends_with("aliases"));
  }
  if (name.starts_with("parsnip")) return make_parsnip(name, options);
  return find_detector(name)->make(options);
}

std::string byte_text(Addr byte, EventIndex index) {
  return "byte " + std::to_string(raw(byte)) + " at event " + std::to_string(raw(index));
}

// Runs in small batches of odd sizes, as a reader might give them.
void run(Detector& detector, std::span<const Event> trace) {
  std::uint64_t index = 0;
  while (!trace.empty()) {
    const std::size_t n = std::min<std::size_t>(trace.size(), 7);
    detector.on_events(trace.first(n), EventIndex{index});
    trace = trace.subspan(n);
    index += n;
  }
  detector.finish();
}

}  // namespace

std::string disagreement(std::string_view name, std::span<const Event> trace,
                         const CompareOptions& options) {
  AllRaces truth;
  PageResource oracle_memory;
  oracle::Oracle oracle(detector_options(options, oracle_memory, truth));
  oracle.keep_pairs();
  run(oracle, trace);

  AllRaces found;
  PageResource memory;
  {
    const std::unique_ptr<Detector> detector = make(name, detector_options(options, memory, found));
    run(*detector, trace);
  }
  if (memory.bytes_in_use() != 0) {
    return std::string(name) + " lost " + std::to_string(memory.bytes_in_use()) + " bytes";
  }

  const auto expected = first_of_each_byte(truth.races);
  const auto actual = first_of_each_byte(found.races);
  for (const auto& [byte, index] : expected) {
    const auto it = actual.find(byte);
    if (it == actual.end())
      return std::string(name) + " misses the race on " + byte_text(byte, index);
    if (it->second != index) {
      return std::string(name) + " reports " + byte_text(byte, it->second) +
             ", the oracle at event " + std::to_string(raw(index));
    }
  }
  std::vector<CollectedRace> collected;
  for (const Race& r : found.races) collected.push_back({r, 1});
  Explainer explainer(collected, options.volatile_meaning);
  explainer.on_events(trace, EventIndex{0}, Sources{});
  for (std::size_t i = 0; i < found.races.size(); ++i) {
    const Race& r = explainer.race(i);
    for (std::uint32_t k = 0; k < r.size; ++k) {
      const std::set<EventIndex> partners = oracle.races_with(r.second.index, r.addr + k);
      if (partners.empty()) {
        return std::string(name) +
               " reports a race that is none: " + byte_text(r.addr + k, r.second.index);
      }
      if (k == 0 && !partners.contains(r.first.index)) {
        return std::string(name) + " names a partner, event " + std::to_string(raw(r.first.index)) +
               ", that does not race: " + byte_text(r.addr, r.second.index);
      }
    }
  }
  return {};
}

std::string shard_disagreement(std::string_view name, std::span<const Event> trace,
                               const CompareOptions& options) {
  const auto races_of = [&](std::uint32_t shards, std::size_t sweep_bytes) {
    std::vector<Race> all;
    for (std::uint32_t i = 0; i < shards; ++i) {
      AllRaces found;
      PageResource memory;
      DetectorOptions made = detector_options(options, memory, found);
      made.shard = {i, shards};
      made.sweep_bytes = sweep_bytes;
      run(*find_detector(name)->make(made), trace);
      all.insert(all.end(), found.races.begin(), found.races.end());
    }
    std::sort(all.begin(), all.end(), [](const Race& a, const Race& b) {
      return std::tuple(a.second.index, a.addr) < std::tuple(b.second.index, b.addr);
    });
    return all;
  };
  const std::vector<Race> whole = races_of(1, std::size_t{1} << 30);
  for (const std::uint32_t shards : {1U, 2U, 5U}) {
    const std::vector<Race> parts = races_of(shards, options.sweep_bytes);
    if (parts == whole) continue;
    return std::string(name) + " reports " + std::to_string(whole.size()) + " races as one, " +
           std::to_string(parts.size()) + " as " + std::to_string(shards) + " shards that sweep";
  }
  return {};
}

std::size_t racy_bytes(std::span<const Event> trace, const CompareOptions& options) {
  AllRaces truth;
  PageResource memory;
  oracle::Oracle oracle(detector_options(options, memory, truth));
  run(oracle, trace);
  return first_of_each_byte(truth.races).size();
}

std::vector<Event> shrink(std::string_view detector, std::vector<Event> trace,
                          const CompareOptions& options) {
  const auto still_fails = [&](const std::vector<Event>& candidate) {
    StreamChecker checker({.roots_allowed = false}, [](const StreamReport&) {});
    checker.add(candidate, Sources{});
    return checker.count(Severity::kError) == 0 &&
           !disagreement(detector, candidate, options).empty();
  };
  // Leave out ever smaller pieces until no single event, nor pair of events, can go.
  for (std::size_t piece = std::max<std::size_t>(trace.size() / 2, 1);;
       piece = std::max<std::size_t>(piece / 2, 1)) {
    bool smaller = false;
    for (std::size_t at = 0; at < trace.size();) {
      std::vector<Event> candidate = trace;
      const auto begin = candidate.begin() + static_cast<std::ptrdiff_t>(at);
      candidate.erase(begin,
                      begin + static_cast<std::ptrdiff_t>(std::min(piece, trace.size() - at)));
      if (still_fails(candidate)) {
        trace = std::move(candidate);
        smaller = true;
      } else {
        at += piece;
      }
    }
    // A lock is taken and given back, a barrier entered and left: such pairs go together.
    if (piece == 1 && !smaller) {
      for (std::size_t i = 0; i < trace.size() && !smaller; ++i) {
        for (std::size_t k = i + 1; k < trace.size() && !smaller; ++k) {
          std::vector<Event> candidate = trace;
          candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(k));
          candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(i));
          if (!still_fails(candidate)) continue;
          trace = std::move(candidate);
          smaller = true;
        }
      }
      if (!smaller) return trace;
    }
  }
}

std::string to_text(std::span<const Event> trace) {
  std::string text = "redflag-trace 1\n";
  for (const Event& e : trace) text += to_text(e) + "\n";
  return text;
}

}  // namespace redflag
