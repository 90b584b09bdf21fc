// The program that 'redflag run' is asked to check: what it is, and whether anything in it can be seen.
//
// Known before it starts, from its file: a program that is cut off, not instrumented, linked with another
// runtime or started by another library's launcher would run to its end and say nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/gpu.h"
#include "cli/mpi_run.h"
#include "core/base/error.h"

namespace redflag::cli {

inline constexpr std::string_view kHowToBuild =
    "\nto build it for checking: redflag c++ main.cpp -o main, or make CXX='redflag c++' "
    "CC='redflag cc' (docs/user/threads.md has CMake and plain flags)";

struct CheckedProgram {
  std::string path;
  bool is_cuda = false;  // it has kernels, and where they run they can be checked
  Kernels kernels = Kernels::kEmulated;
  bool is_launcher = false;  // what it starts may
  bool has_cpu = false;      // it is also instrumented
  MpiMake mpi = MpiMake::kNone;
};

// `kernels`: where kernels run, if that is not for it to find out. `quiet`: without notes; `quiet_of_job`: without those that one rank says for all.
Result<CheckedProgram> look_at_program(const Arguments& arguments, std::optional<Kernels> kernels,
                                       bool quiet, bool quiet_of_job);

}  // namespace redflag::cli
