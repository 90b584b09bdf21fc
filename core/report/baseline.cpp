#include "core/report/baseline.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/base/output_file.h"
#include "core/report/json.h"

namespace redflag {
namespace {

constexpr std::size_t kMostReportBytes = std::size_t{1} << 30;

}  // namespace

Result<Report> read_report(const std::string& path) {
  Result<std::string> text = read_file(path, kMostReportBytes);
  if (!text) return fail(std::move(text.error().message));
  return read_json(path, *text);
}

void compare_with_baseline(Report& report, const Report& baseline) {
  std::unordered_set<std::string_view> known;
  for (const Finding& finding : baseline.findings) known.insert(finding.fingerprint);
  for (Finding& finding : report.findings) {
    finding.baseline =
        known.contains(finding.fingerprint) ? BaselineStatus::kKnown : BaselineStatus::kNew;
  }
}

bool has_new(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(), [](const Finding& finding) {
    return finding.baseline != BaselineStatus::kKnown;
  });
}

}  // namespace redflag
