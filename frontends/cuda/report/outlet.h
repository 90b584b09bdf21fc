// Outlet: findings about kernels on their way to the user, from inside the program.
//
// Under 'redflag run' every finding is appended to its file as one line when it is found, so that
// nothing is lost when the program crashes a moment later: "F " and a report of one finding as JSON;
// "E " when something could not be checked at all, after the message was printed; "U " and a report
// with a kernel that was not checked, for the report's line "not looked at"; at the end "S " and
// a report with the detector's counters, and "K " and the number of kernels launched. Without 'redflag
// run' findings are printed as text.
//
// Launches and allocations are told here as well: findings name kernels and memory. One thread at a
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/detect/gpu/gpu_race.h"
#include "core/model/finding.h"
#include "core/model/gpu.h"
#include "frontends/cuda/report/settings.h"

namespace redflag::cuda_report {

// PTX has the names of C++ as the linker knows them.
std::string demangled(const std::string& name);

class Outlet {
 public:
  explicit Outlet(const Settings& settings);
  ~Outlet();
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  // Where instructions of kernels are. Sites of the host are known here.
  using DeviceFrames = std::function<std::vector<Frame>(gpu::LaunchId, gpu::SiteId)>;
  void set_frames(DeviceFrames frames);
  Stack frames(gpu::LaunchId launch, gpu::SiteId site);

  void launch_begins(const gpu::Launch& launch);  // its name as people read it
  void launched_at(gpu::LaunchId launch, gpu::SiteId site);
  void take(const gpu::HostStep& step);  // allocations: known until they are freed
  const gpu::Launch* find_launch(gpu::LaunchId launch) const;  // nullptr: none

  void put(const std::vector<gpu::GpuRace>& races);
  void put(Finding finding);
  void name_memory(Finding& finding, std::uint64_t address);

  // Something cannot be checked at all: said on standard error, once for each text.
  void error(const std::string& message);
  void note(const std::string& message);

  // A kernel that was not checked: in the report's line "not looked at", once.
  void leave_out(Unchecked::Kind kind, const std::string& kernel);

  // The last words; the exit status that the process should have instead of its own, or -1.
  int finish(const std::vector<Counter>& stats);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redflag::cuda_report
