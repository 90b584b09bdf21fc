// Which format a trace is written in, and the writer for it: shared by convert and generate.
#pragma once

#include <memory>
#include <string>

#include "cli/arguments.h"
#include "core/trace/writer.h"

namespace redflag::cli {

// By --format, else by the suffix of `path`: .rft; .txt, .text or .trace.
Result<TraceFormat> output_format(const Arguments& arguments, const std::string& path);

// Opens `path` in that format.
Result<std::unique_ptr<EventWriter>> create_output(const Arguments& arguments,
                                                   const std::string& path);

}  // namespace redflag::cli
