// What processes recorded in common (wire/between.h), replayed: the races between different processes.
//
// The events of all processes are one trace, in the order of their numbers. The precise detector runs
// over it as over any trace; of what it finds only pairs from different processes count, since each
// process has found its own races live. The explainer then looks at the trace again, and the contexts
// of each side are symbolised with the modules of its own process.
//
// Two things are added to the recording on the way. A thread whose first event is a fork of itself
// belongs to a process that nobody who is watched has forked: it learns from all who were there. A
// lock that is taken while another thread has it was taken from a process that died with it (robust
// mutexes): the dead thread gives it up just before.
//
// Nothing in the file is trusted: counts are cut to what fits, numbers that mean nothing are left out,
// and what is wrong is told in `note`. Memory: the file, at most 1 GiB, and the detector's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/finding.h"
#include "core/symbolize/symbolizer.h"
#include "frontends/cpu/wire/between.h"

namespace redflag::collect {

struct BetweenReplay {
  std::vector<Finding> findings;
  std::vector<std::uint32_t> pids;  // of each finding's second process
  std::uint64_t events = 0;
  std::uint64_t processes = 0;
  std::string note;  // a line about what was lost; empty: nothing
};

BetweenReplay replay_between(std::span<const std::byte> file, symbolize::Symbolizer& symbolizer);

// The file's tables as plain values, cut to what fits. Of a process or thread the number is its place.
struct BetweenTables {
  struct Process {
    std::uint32_t pid = 0;
    std::uint32_t parent = 0;  // number + 1; 0: nobody's
  };
  struct Thread {
    std::uint32_t process = 0;
    std::uint32_t number = 0;  // in its process
    std::string name;
  };
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<wire::BetweenMemory> memories;
  std::uint64_t stopped_at = 0;
};
// The same in two parts, for tests: small chunks let fuzzers see several.
std::optional<BetweenTables> read_tables(std::span<const std::byte> file);
BetweenReplay replay_between(const BetweenTables& tables, std::span<const std::byte> chunks,
                             std::size_t chunk_bytes, symbolize::Symbolizer& symbolizer);

// A file for the processes of a run, gone when this is.
class BetweenFile {
 public:
  static Result<BetweenFile> create();
  BetweenFile(BetweenFile&& other) noexcept;
  BetweenFile& operator=(BetweenFile&&) = delete;
  ~BetweenFile();

  std::string path() const;  // as other processes of this user can open it
  Result<std::vector<std::byte>> read() const;

 private:
  explicit BetweenFile(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// As much of a file as was written. Descriptor `fd` of process `pid`, which waits.
Result<std::vector<std::byte>> read_between(std::uint32_t pid, std::uint32_t fd);

}  // namespace redflag::collect
