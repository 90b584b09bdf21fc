// All file formats of a report in one table, and the plan of which to write where.
//
// The command line, its help and the tests read kOutputFormats: a new format is a new row. Every
// file is opened before the run begins, so that a wrong path is reported at once; it appears under
// its name only when complete (base/output_file.h).
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/output_file.h"
#include "core/model/finding.h"
#include "core/report/source_reader.h"

namespace redflag {

struct OutputFormat {
  std::string_view option;  // --html=FILE
  std::string_view name;
  std::string_view description;
  std::string (*render)(const Report& report, SourceReader* sources);
};

namespace render {
std::string json(const Report& report, SourceReader* sources);
std::string sarif(const Report& report, SourceReader* sources);
std::string junit(const Report& report, SourceReader* sources);
std::string html(const Report& report, SourceReader* sources);
}  // namespace render

inline constexpr std::array<OutputFormat, 4> kOutputFormats{{
    {"json", "JSON", "everything, to keep, compare, convert or confirm later", &render::json},
    {"sarif", "SARIF 2.1.0", "for code hosts and editors", &render::sarif},
    {"junit", "JUnit XML", "for build servers: one test case per finding", &render::junit},
    {"html", "HTML", "one page to browse, with stacks, source and a picture", &render::html},
}};

const OutputFormat* find_output_format(std::string_view option);  // nullptr: unknown

struct PendingOutput {
  const OutputFormat* format;
  OutputFile file;
};

struct OutputPlan {
  struct Request {
    const OutputFormat* format;
    std::string path;  // "-": standard output
  };
  std::vector<Request> requests;

  // Refuses unknown formats and a path that is already taken.
  Result<void> add(std::string_view option, std::string path);

  // Creates every file, or none: what was created before an error is removed again.
  Result<std::vector<PendingOutput>> open() const;
};

// Renders and commits each output. `sources` nullptr: no excerpts. Continues after an error, so
// that the other reports are written; returns the first error.
Result<void> write_all(std::vector<PendingOutput>& outputs, const Report& report,
                       SourceReader* sources = nullptr);

}  // namespace redflag
