// The second reading of a trace, after which every race is a finding with names, locks and advice.
#pragma once

#include <vector>

#include "cli/input.h"
#include "cli/progress.h"
#include "core/explain/explainer.h"

namespace redflag::cli {

// Reads only as far as the last race. No reading at all when there are none.
Result<std::vector<Finding>> explain(const Input& input, std::vector<CollectedRace> races,
                                     VolatileMeaning volatile_meaning, Progress& progress);

}  // namespace redflag::cli
