// From the words of an nvcc command line to the words of the same, for the emulated GPU.
//
// The program must load CUDA's runtime library instead of containing it (-cudart shared), carry PTX
// that a device of compute capability 9.0 can run, and lines for its instructions (-lineinfo). Our
// words come first. Of the user's, only another -cudart is left out. A -gencode is added where the
// user's embed no such PTX: for the newest architecture that they name and the emulated GPU knows.
//
// Pure but for files of options (-optf), which are looked into and passed on as they are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

struct NvccPlan {
  bool has_input = false;          // something to compile or link; else --version and the like
  bool has_lines = false;          // -lineinfo, or -G, which says more
  bool has_debug = false;          // -g
  std::string add_ptx;             // "80": PTX to add; empty: there is some
  std::vector<std::string> words;  // the user's, without -cudart
};
NvccPlan plan_nvcc(std::span<const std::string> words);

// What is added, as the manual says it: without the architecture, which depends on the user's.
std::vector<std::string> nvcc_flags(const NvccPlan& plan, const std::string& library_folder);

// --compiler, REDFLAG_NVCC, nvcc on PATH, in CUDA_HOME or CUDA_PATH, in the usual folder; else clang++-19.
Result<std::string> find_nvcc(const std::string& asked);

}  // namespace redflag::cli
