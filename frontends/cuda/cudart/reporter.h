// Reporter: what the detector finds and what kernels do wrong, on its way to the user.
//
// Under 'redflag run' every finding is appended to its file as one line when it is found, so that
// nothing is lost when the program crashes a moment later: "F " and a report of one finding as JSON;
// "E " when something could not be checked at all, after the message was printed; at the end "S " and
// a report with the detector's counters, and "K " and the number of kernels launched. Without 'redflag
// run' findings are printed as text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/model/finding.h"
#include "core/model/gpu.h"
#include "frontends/cuda/cudart/settings.h"
#include "frontends/cuda/emulate/device.h"

namespace redflag::cudart {

class Reporter {
 public:
  explicit Reporter(const Settings& settings);
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

  // The last words; the exit status that the process should have instead of its own, or -1.
  int finish();

 private:
  void open_record();

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redflag::cudart
