// The report as SARIF 2.1.0, the format that code hosts and editors show beside the source.
//
// Each rule of kRules is a reporting descriptor, each finding a result: the second access is its
// location (where the program was when the race occurred), both accesses are related
// locations that the message links to, and so are the memory's origin and, from live runs, where it
// was freed and where threads and locks were created; the stacks are stacks, and the
// picture of the interleaving is a code flow with one thread flow for each thread, whose steps
// carry their common order. Fingerprint and baseline state let a host tell new from old.
//
// Paths become URIs: absolute ones file:///..., relative ones relative to %SRCROOT%. Columns are
// passed on as the frontend gave them. Limits: no source text is embedded, no excerpts.
#pragma once

#include <string>
#include <string_view>

#include "core/model/finding.h"

namespace redflag {

std::string write_sarif(const Report& report, int indent = 2);

// A path as a URI reference, with everything but unreserved characters and '/' percent-encoded.
std::string to_uri(std::string_view path);

}  // namespace redflag
