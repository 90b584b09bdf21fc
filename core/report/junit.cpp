#include "core/report/junit.h"

#include <array>
#include <utility>

#include "core/report/clean.h"
#include "core/report/own_code.h"
#include "core/report/text.h"
#include "core/report/words.h"

namespace redflag {
namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escape_markup(value) + "\"";
}

std::string test_case(const Finding& finding, SourceReader* sources) {
  std::string out = "    <testcase" + attribute("classname", info(finding.rule).id) +
                    attribute("name", headline(finding) + ": " + both_functions(finding));
  if (const Frame* frame = own_frame(finding.second.stack); frame != nullptr) {
    out += attribute("file", frame->file) + attribute("line", std::to_string(frame->line));
  }
  out += ">\n";
  if (finding.baseline == BaselineStatus::kKnown) {
    return out + "      <skipped" + attribute("message", "known from the baseline") +
           "/>\n    </testcase>\n";
  }
  const std::string& message =
      finding.missing_text.empty() ? headline(finding) : finding.missing_text;
  out += "      <failure" + attribute("type", info(finding.rule).id) +
         attribute("message", message) + ">";
  out += escape_markup(write_text(finding, {.sources = sources}), true);
  return out + "</failure>\n    </testcase>\n";
}

}  // namespace

std::string write_junit(const Report& report, SourceReader* sources) {
  std::size_t known = 0;
  for (const Finding& finding : report.findings) {
    known += finding.baseline == BaselineStatus::kKnown;
  }
  const std::size_t tests = report.findings.empty() ? 1 : report.findings.size();
  const std::string counts = attribute("tests", std::to_string(tests)) +
                             attribute("failures", std::to_string(report.findings.size() - known)) +
                             attribute("errors", "0") + attribute("skipped", std::to_string(known));
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += "<testsuites" + attribute("name", "redflag") + counts + ">\n";
  out += "  <testsuite" + attribute("name", "redflag") + counts + ">\n    <properties>\n";
  const std::array<std::pair<const char*, const std::string*>, 4> properties{
      {{"input", &report.input},
       {"command", &report.command},
       {"detector", &report.detector},
       {"tool_version", &report.tool_version}}};
  for (const auto& [name, value] : properties) {
    out += "      <property" + attribute("name", name) + attribute("value", *value) + "/>\n";
  }
  out += "    </properties>\n";
  for (const Finding& finding : report.findings) out += test_case(finding, sources);
  if (report.findings.empty()) {
    out += "    <testcase" + attribute("classname", "redflag") +
           attribute("name", "no data races in " + report.input) + "/>\n";
  }
  const std::string left_out = unchecked_text(report);
  out += "    <system-out>" + escape_markup(summary(report)) +
         (left_out.empty() ? "" : "\nredflag: " + escape_markup(left_out)) + "</system-out>\n";
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace redflag
