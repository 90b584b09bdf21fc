#include "core/report/render.h"

#include <utility>

#include "core/report/clean.h"
#include "core/report/html.h"
#include "core/report/json.h"
#include "core/report/junit.h"
#include "core/report/sarif.h"

namespace redflag {
namespace render {

std::string json(const Report& report, SourceReader*) {
  return write_json(report);
}
std::string sarif(const Report& report, SourceReader*) {
  return write_sarif(report);
}
std::string junit(const Report& report, SourceReader* sources) {
  return write_junit(report, sources);
}
std::string html(const Report& report, SourceReader* sources) {
  return write_html(report, sources);
}

}  // namespace render

const OutputFormat* find_output_format(std::string_view option) {
  for (const OutputFormat& format : kOutputFormats) {
    if (format.option == option) return &format;
  }
  return nullptr;
}

Result<void> OutputPlan::add(std::string_view option, std::string path) {
  const OutputFormat* format = find_output_format(option);
  if (format == nullptr) {
    std::string known;
    for (const OutputFormat& one : kOutputFormats) {
      known += (known.empty() ? "" : ", ") + std::string(one.option);
    }
    return fail("found the unknown report format '" + printable(option) + "'; expected one of " +
                known);
  }
  for (const Request& request : requests) {
    if (request.path != path) continue;
    return fail("--" + std::string(option) + "=" + path + ": --" +
                std::string(request.format->option) +
                " already writes there; give each report a file of its own");
  }
  requests.push_back({format, std::move(path)});
  return {};
}

Result<std::vector<PendingOutput>> OutputPlan::open() const {
  std::vector<PendingOutput> outputs;
  for (const Request& request : requests) {
    Result<OutputFile> file = OutputFile::create(request.path);
    if (!file) return fail(std::move(file.error().message));
    outputs.push_back({request.format, std::move(*file)});
  }
  return outputs;
}

Result<void> write_all(std::vector<PendingOutput>& outputs, const Report& report,
                       SourceReader* sources) {
  Result<void> first_error;
  for (PendingOutput& output : outputs) {
    Result<void> done = output.file.write(output.format->render(report, sources));
    if (done) done = output.file.commit();
    if (!done && first_error) first_error = std::move(done);
  }
  return first_error;
}

}  // namespace redflag
