// CUDA programs under 'redflag run': what is in their files, our library in front of NVIDIA's runtime
// (the emulated GPU) or of its driver (a GPU), and the findings that it leaves behind.
//
// The library in the program writes what it finds to a file when it finds it (frontends/cuda/report/
// outlet.h); here the file is made, read while and after the program runs, and removed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/gpu.h"
#include "cli/probe.h"
#include "core/base/error.h"
#include "frontends/cpu/collect/collector.h"

namespace redflag::cli {

// Where libcudart.so.13 of the emulated GPU is.
Result<std::string> cuda_library_folder();

// Whether the program loads CUDA's runtime library, so that ours can take its place. An error: it has
// GPU code and cannot be run on the emulated GPU, with what to do.
Result<bool> needs_cuda(const std::string& path, const Probe& probe);

// Whether the program or a library it needs has kernels, or it loads a library of CUDA's that can have
// some.
bool uses_gpu(const std::string& path, const Probe& probe);

class CudaRun {
 public:
  // `record`: where the trace of the kernels goes; empty: nowhere.
  static Result<CudaRun> prepare(Kernels kernels, std::string record);
  CudaRun(CudaRun&& other) noexcept;
  CudaRun& operator=(CudaRun&&) = delete;
  ~CudaRun();

  // For the program: "NAME=value". `by_name`: CUDA's runtime library is also loaded by its name, which
  // comes before an RPATH of the old kind; not in processes that need none.
  std::vector<std::string> environment(bool by_name) const;
  // Gives the collector what has been written since the last time. `seed` is said with findings when
  // several schedules are tried.
  void collect(collect::Collector& collector, std::uint64_t seed, bool says_seed);

  // Puts the traces where they belong: that of the first process at its name, others numbered.
  Result<void> finish_recording(bool quiet);

  bool failed() const { return failed_; }                 // something could not be checked
  std::uint64_t processes() const { return processes_; }  // that used the library and ended
  std::uint64_t kernels() const { return kernels_; }
  // Of the detector in the processes that have ended, added up.
  const std::vector<Counter>& stats() const { return stats_; }

 private:
  CudaRun(Kernels kernels, std::string folder, std::string record, std::string file)
      : kernels_run_(kernels),
        library_(std::move(folder)),
        record_(std::move(record)),
        file_(std::move(file)) {}

  Kernels kernels_run_;
  std::string library_;  // its folder
  std::string record_;
  std::string file_;  // empty: moved from
  std::uint64_t read_ = 0;
  bool failed_ = false;
  std::uint64_t processes_ = 0;
  std::uint64_t kernels_ = 0;
  std::vector<Counter> stats_;
};

}  // namespace redflag::cli
