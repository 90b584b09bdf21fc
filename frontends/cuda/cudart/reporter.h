// Reporter: what the detector finds and what kernels do wrong, on its way to the user.
//
// The detector, and the trace of --record, hear what the device does; findings go out by the outlet
// (frontends/cuda/report).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/model/finding.h"
#include "core/model/gpu.h"
#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/report/settings.h"

namespace redflag::cudart {

class Reporter {
 public:
  explicit Reporter(const cuda_report::Settings& settings);
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  gpu::Sink* sink();  // for the device and for host steps
  void attach(const cuda::Device& device);

  // What the detector has found since the last time.
  void collect();
  // A launch ended early.
  void fault(const cuda::Fault& fault, const gpu::Launch& launch);
  // Something cannot be checked at all: said on standard error, once for each text.
  void error(const std::string& message);
  void note(const std::string& message);
  // A kernel that could not run here: for the report's line "not looked at".
  void leave_out(Unchecked::Kind kind, const std::string& kernel);  // its name as in the PTX

  // The last words; the exit status that the process should have instead of its own, or -1.
  int finish();

 private:
  void open_record();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redflag::cudart
