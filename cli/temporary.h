// A file of our own for the time of one run, in the folder that TMPDIR names: what layers inside the
// program write and the command reads.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace redflag::cli {

// Made, empty, and only this user's; whoever asked removes it. `purpose`: "what the job is found to do".
Result<std::string> make_temporary(std::string_view stem, std::string_view purpose);

}  // namespace redflag::cli
