// The fake driver's linker: several modules of PTX made into one.
//
// As nvlink does it: names with linkage are one for all, of weak ones the first definition stays,
// others may be defined once, and what is extern must be defined by somebody. Names without linkage must
// differ, which the real one does not ask for.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::fake {

Result<std::string> link(const std::vector<std::string>& texts);

}  // namespace redflag::fake
