// From a line of the job's rank 0 (wire/line.h) to a finding with names and source lines.
//
// Files are opened by the names they had where the job ran: on another machine they must be at the same
// place, or the finding has files and offsets only.
#pragma once

#include "core/model/finding.h"
#include "core/symbolize/symbolizer.h"
#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {

// Nothing: numbers that mean nothing.
std::optional<Finding> to_finding(const RaceLine& line, symbolize::Symbolizer& symbolizer);
std::optional<Finding> to_finding(const MisuseLine& line, symbolize::Symbolizer& symbolizer);

}  // namespace redflag::pgas
