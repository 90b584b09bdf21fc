// Programs of an MPI or OpenSHMEM job under 'redflag run': our layer in front of their library, and the
// findings that it leaves behind.
//
// Each rank has a 'redflag run' of its own. The layer in rank 0 writes what the whole job is found to
// do to a file (frontends/pgas/wire/line.h); here the file is made, read while and after the program
// runs, and removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/probe.h"
#include "core/base/error.h"
#include "core/symbolize/symbolizer.h"
#include "frontends/cpu/collect/collector.h"

namespace redflag::cli {

enum class MpiMake : std::uint8_t { kNone, kOpenShmem, kOpenMpi, kMpich };

MpiMake mpi_of(const Probe& probe);

// What is wrong with the launcher that started this process, for a program of this make; empty: nothing.
std::string wrong_launcher(MpiMake make);

class MpiRun {
 public:
  static Result<MpiRun> prepare(MpiMake make, bool predicts);  // not of kNone
  MpiRun(MpiRun&& other) noexcept;
  MpiRun& operator=(MpiRun&&) = delete;
  ~MpiRun();

  std::vector<std::string> environment() const;  // "NAME=value"
  // Gives the collector what has been written since the last time.
  void collect(collect::Collector& collector);
  // What was not checked, as a sentence; empty: nothing.
  std::string lost() const;

 private:
  MpiRun(MpiMake make, bool predicts, std::string layer, std::string file)
      : make_(make), predicts_(predicts), layer_(std::move(layer)), file_(std::move(file)) {}

  MpiMake make_;
  bool predicts_;
  std::string layer_;
  std::string file_;  // empty: moved from
  std::uint64_t read_ = 0;
  std::map<std::uint32_t, std::uint64_t> lost_;  // accesses, by the rank that owns the memory
  symbolize::Symbolizer symbolizer_;
};

}  // namespace redflag::cli
