// What the parts of 'redflag ptx' share: names of kernels, and what --proof is about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/status.h"
#include "core/base/error.h"
#include "frontends/cuda/ptx/ir.h"
#include "frontends/cuda/rewrite/explain.h"

namespace redflag::cli {

// Mangled, as options take it, and as people wrote it.
std::string both_names(std::string_view name);
// Either of them.
bool is_named(std::string_view name, const std::string& wanted);

// "8", "8,4" or "8,4,2"; the rest is 1.
Result<gpu::Dim> to_dim(std::string_view option, std::string_view text, std::uint32_t most);
// "2=4096", "0=buffer" or "1=same:0"
Result<rewrite::Argument> to_argument(std::string_view text);

Status print_proof(const std::vector<ptx::Module>& modules, const Arguments& arguments);

}  // namespace redflag::cli
