#include "cli/trace_output.h"

namespace redflag::cli {

Result<TraceFormat> output_format(const Arguments& arguments, const std::string& path) {
  if (arguments.is_set("format")) {
    return arguments.text("format") == "rft" ? TraceFormat::kRft : TraceFormat::kText;
  }
  if (path.ends_with(".rft")) return TraceFormat::kRft;
  if (path.ends_with(".txt") || path.ends_with(".text") || path.ends_with(".trace")) {
    return TraceFormat::kText;
  }
  return fail(path +
              ": the format is not clear from the name; expected .rft, or .txt, .text or "
              ".trace\nadd --format=rft or --format=text");
}

Result<std::unique_ptr<EventWriter>> create_output(const Arguments& arguments,
                                                   const std::string& path) {
  const Result<TraceFormat> format = output_format(arguments, path);
  if (!format) return Failure(format.error());
  return create_trace(path, *format);
}

}  // namespace redflag::cli
