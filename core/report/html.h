// The report as one HTML page that needs nothing else: no server, no network, no second file.
//
// The viewer (web/) is embedded with the report as JSON inside the page. Its security policy
// forbids every request and every script but the viewer itself, so a page may be mailed or archived
// and opened without a thought. Names cannot leave the JSON: everything that means something to the
// HTML parser is written as \uXXXX. Without JavaScript the page shows the text form. Source
// excerpts are read now and embedded; the page never looks for files.
#pragma once

#include <string>

#include "core/model/finding.h"
#include "core/report/source_reader.h"

namespace redflag {

// `sources` nullptr: no excerpts.
std::string write_html(const Report& report, SourceReader* sources = nullptr);

}  // namespace redflag
