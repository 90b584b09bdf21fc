// The report as JSON: the form to keep, compare, convert and read by other programs.
//
// Documented in docs/user/report-json.md and docs/schema/report.schema.json. Writing and reading
// back gives an equal Report, with two exceptions that JSON cannot carry: bytes that are not UTF-8
// become U+FFFD, and a statistic that is not a finite number becomes null (read back as NaN).
// Addresses are hexadecimal strings. Other integers are numbers up to 2^53-1, the largest that
// every JSON reader keeps exactly, and decimal strings above.
//
// Reading is strict: a missing, misspelt or unknown key, a wrong type or a value out of range is an
// error that names the place (findings[3].first.access.kind), what was found and what was expected.
// Any change of the format changes kReportSchemaVersion. read_json throws nothing.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/finding.h"

namespace redflag {

inline constexpr std::uint32_t kReportSchemaVersion = 5;
inline constexpr std::uint32_t kOldestReportVersion = 2;  // that can be read: it only lacks keys
inline constexpr std::string_view kReportSchemaName = "redflag-report";

// `indent` -1 writes everything on one line.
std::string write_json(const Report& report, int indent = 2);

// `name` is what messages call the text: usually its file.
Result<Report> read_json(const std::string& name, std::string_view text);

}  // namespace redflag
