// The report as one HTML page that needs no server, no network and no second file.
//
// The viewer (web/) is embedded with the report as JSON inside the page. Its security policy
// forbids every request and every script but the viewer itself, so a page may be mailed, archived
// and opened safely. Names cannot break out of the JSON: all characters with a meaning in HTML are
// written as \uXXXX. Without JavaScript the page shows the text form. Source
// excerpts are read now and embedded; the page never looks for files.
#pragma once

#include <string>

#include "core/model/finding.h"
#include "core/report/source_reader.h"

namespace redflag {

// `sources` nullptr: no excerpts.
std::string write_html(const Report& report, SourceReader* sources = nullptr);

}  // namespace redflag
