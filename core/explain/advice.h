// The sentences of a finding as far as its two sides show them: for live runs, which have no trace to
// look at again, and for the explainer where the trace shows nothing better.
#pragma once

#include "core/model/finding.h"

namespace redflag {

// Sets missing, missing_text and advice from the rule, the kinds of access and the locks held.
void advise_by_sides(Finding& finding);

}  // namespace redflag
