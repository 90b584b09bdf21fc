// Any bytes as what processes recorded in common, in chunks of 256: a few processes, threads and memories, of which the
// first bytes say who belongs to whom, then the chunks. Whatever comes out are races between different processes in memory
// that there is.
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/check.h"
#include "core/symbolize/symbolizer.h"
#include "frontends/cpu/collect/between.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  constexpr std::size_t kThreads = 6;
  if (size < kThreads + 2) return 0;
  collect::BetweenTables tables;
  for (std::uint32_t i = 0; i < 3; ++i) tables.processes.push_back({i + 1, i});
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    // Some belong to a process that there is not.
    tables.threads.push_back({data[i] % 4U, i, i % 2 == 0 ? "" : "name"});
  }
  tables.memories.push_back({1, 2, 0x1000, data[kThreads] * std::uint64_t{64}, 0, 0});
  tables.memories.push_back({wire::kAnonymousDevice, 3, ~std::uint64_t{0}, 0x1000, 9, 0});
  tables.stopped_at = data[kThreads + 1];
  symbolize::Symbolizer symbolizer;
  const std::span chunks(reinterpret_cast<const std::byte*>(data + kThreads + 2),
                         size - kThreads - 2);
  const collect::BetweenReplay replay = collect::replay_between(tables, chunks, 256, symbolizer);
  REDFLAG_CHECK(replay.pids.size() == replay.findings.size());
  for (const Finding& finding : replay.findings) {
    const std::uint32_t first = tables.threads[raw(finding.first.access.thread)].process;
    const std::uint32_t second = tables.threads[raw(finding.second.access.thread)].process;
    REDFLAG_CHECK(first != second);
  }
  // The whole file, header and all.
  REDFLAG_CHECK(!collect::read_tables(chunks).has_value());
  return 0;
}
