// Runs a plan of clang_cuda.h: PTX, the fat binary around it, the host's objects, the link.
#pragma once

#include <span>
#include <string>

#include "cli/status.h"

namespace redflag::cli {

// `clang`: the compiler's file. Gives the first status of a compiler that is not 0.
Status run_clang_cuda(const std::string& clang, std::span<const std::string> words);

// Is this compiler clang, by its name?
bool is_clang(const std::string& path);

}  // namespace redflag::cli
