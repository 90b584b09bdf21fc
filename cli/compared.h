// A comparison of GPU detectors as text, JSON and HTML (core/detect/gpu/comparison.h has the values).
#pragma once

#include <string>

#include "core/detect/gpu/comparison.h"

namespace redflag::cli {

struct ComparedInput {
  std::string name;     // the program or trace
  std::string command;  // to do it again
  bool rules = false;   // with the detectors' counters
};

// Pairs by detectors, the differences with their causes, what each detector took.
std::string compared_text(const gpu::Comparison& comparison, const ComparedInput& input);
std::string compared_json(const gpu::Comparison& comparison, const ComparedInput& input);
std::string compared_html(const gpu::Comparison& comparison, const ComparedInput& input);

}  // namespace redflag::cli
