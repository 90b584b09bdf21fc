// What a run of the PARSNIP model counted: plain numbers, from which the paper's figures 3, 7 to 11
// and table 3 are drawn.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace redflag::sim::parsnip {

// What resolved a check (figure 10): the costliest source that it had to ask.
enum class Source : std::uint8_t { kRef, kLocalTable, kBuffer, kRemoteTable, kSoftware };
inline constexpr std::size_t kSourceCount = 5;
inline constexpr std::array<std::string_view, kSourceCount> kSourceNames{
    "ParsnipRef", "local table", "epoch buffer", "remote table", "software"};

// What cycles beyond the program's own went to (figure 11, a to f), and what the paper does not show.
enum class Cost : std::uint8_t {
  kRefs,           // (a) reading and updating refs in cache
  kMissingRefs,    // (b) software, because the refs are not in cache
  kLocalTable,     // (c)
  kRemoteTable,    // (d)
  kSoftwareCheck,  // (e) software, because the refs do not say enough
  kDrain,          // (f) saving the contents of an epoch buffer
  kEviction,       // handlers for lines that leave
  kContextSwitch,  // saving and restoring tables and clocks
  kSynchronise,    // updating vector clocks
};
inline constexpr std::size_t kCostCount = 9;
inline constexpr std::array<std::string_view, kCostCount> kCostNames{
    "refs in cache", "refs missing", "local table",    "remote table",   "software check",
    "buffer drain",  "eviction",     "context switch", "synchronisation"};

struct ParsnipStats {
  std::uint64_t events = 0;
  std::uint64_t accesses = 0;      // loads and stores of the program that are checked
  std::uint64_t unchecked = 0;     // those of stacks
  std::uint64_t instructions = 0;  // accesses included
  std::uint64_t races = 0;

  std::uint64_t baseline_cycles = 0;  // sums over all cores
  std::uint64_t parsnip_cycles = 0;
  std::uint64_t baseline_longest = 0;  // of the core with the most
  std::uint64_t parsnip_longest = 0;
  std::uint64_t radish_cycles = 0;  // 0: Radish was not simulated
  std::uint64_t radish_software_checks = 0;

  std::uint64_t checks = 0;  // one per access and line
  std::array<std::uint64_t, kSourceCount> resolved_by{};
  std::array<std::uint64_t, kCostCount> cycles{};

  std::uint64_t software_checks = 0;  // those for missing refs included
  std::uint64_t missing_lines = 0;
  std::uint64_t drains = 0;
  std::uint64_t evictions = 0;   // handlers for Primary ParsnipLines
  std::uint64_t rejections = 0;  // by a full ParsnipTable
  std::uint64_t buffered = 0;    // epochs put into buffers
  std::uint64_t coalesced = 0;   // of these, into an entry that was there
  std::uint64_t to_one_to_one = 0;
  std::uint64_t residence_changes = 0;
  std::uint64_t context_switches = 0;
  std::uint64_t atomic_checks = 0;   // of atomics: in software, with the synchronisation
  std::uint64_t unnamed_checks = 0;  // of threads that refs cannot name

  // Lines by how many different Primary refs they had when they left, or at the end (figure 3).
  std::array<std::uint64_t, 65> lines_by_refs{};

  double slowdown() const { return ratio(parsnip_cycles, baseline_cycles); }
  double radish_slowdown() const { return ratio(radish_cycles, baseline_cycles); }
  double share(Source s) const { return ratio(resolved_by[static_cast<std::size_t>(s)], checks); }
  double per_thousand_instructions(std::uint64_t n) const { return 1000 * ratio(n, instructions); }

 private:
  static double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
  }
};

}  // namespace redflag::sim::parsnip
