// The report as JUnit XML, which most build servers show without a plug-in.
//
// Each finding is one test case: its class is the rule, its name says the memory and the two
// functions, and its failure holds the text form. A finding the baseline knows is a skipped test
// case, so that only new findings fail a build. A report without findings is one test case that
// passed, because servers treat an empty suite as an error. Characters XML 1.0 cannot carry are
// shown as visible escapes.
#pragma once

#include <string>

#include "core/model/finding.h"
#include "core/report/source_reader.h"

namespace redflag {

// `sources` nullptr: no excerpts.
std::string write_junit(const Report& report, SourceReader* sources = nullptr);

}  // namespace redflag
