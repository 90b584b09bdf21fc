// The commands, as functions: each in the file of its name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/status.h"

namespace redflag::cli {

Status run_run(const Arguments& arguments);
Status run_cc(const Arguments& arguments);
Status run_cxx(const Arguments& arguments);
Status run_fortran(const Arguments& arguments);
Status run_nvcc(const Arguments& arguments);
Status run_mpicc(const Arguments& arguments);
Status run_mpicxx(const Arguments& arguments);
Status run_mpifort(const Arguments& arguments);
Status run_oshcc(const Arguments& arguments);
Status run_flags(const Arguments& arguments);
Status run_attend(const Arguments& arguments);
Status run_replay(const Arguments& arguments);
Status run_report(const Arguments& arguments);
Status run_confirm(const Arguments& arguments);
Status run_trace_info(const Arguments& arguments);
Status run_trace_convert(const Arguments& arguments);
Status run_trace_generate(const Arguments& arguments);
Status run_trace_check(const Arguments& arguments);
Status run_ptx(const Arguments& arguments);
Status run_detectors(const Arguments& arguments);
Status run_detectors_compare(const Arguments& arguments);
Status run_sim_parsnip(const Arguments& arguments);
Status run_sim_scord(const Arguments& arguments);
Status run_doctor(const Arguments& arguments);
Status run_completion(const Arguments& arguments);
Status run_help(const Arguments& arguments);

// This process becomes that program; returns only when it cannot be started.
Status become(const std::vector<std::string>& command);

// The whole program: parses the words (without the program's name), runs the command, and turns
// whatever goes wrong into a message and a status.
Status run(std::span<const std::string> words);

}  // namespace redflag::cli
