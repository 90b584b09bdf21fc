// Any bytes as a JSON report: either a message, or a report that every printer can print.
//
// A report that was read must also survive being written and read again, unless it holds a
// statistic that JSON cannot carry. Nothing is read from the disk: excerpts are off.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/check.h"
#include "core/report/baseline.h"
#include "core/report/fold.h"
#include "core/report/json.h"
#include "core/report/render.h"
#include "core/report/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<Report> report = read_json("fuzz.json", text);
  if (!report) {
    REDFLAG_CHECK(report.error().message.starts_with("fuzz.json:"));
    return 0;
  }
  std::erase_if(report->stats, [](const Counter& one) { return std::isnan(one.value); });
  const Result<Report> again = read_json("again.json", write_json(*report));
  REDFLAG_CHECK(again.has_value() && *again == *report);
  for (const OutputFormat& format : kOutputFormats) {
    REDFLAG_CHECK(!format.render(*report, nullptr).empty());
  }
  REDFLAG_CHECK(!write_text(*report, {.colour = true}).empty());
  const std::size_t before = report->findings.size();
  fold(*report);
  REDFLAG_CHECK(report->findings.size() <= before);
  compare_with_baseline(*report, *report);
  REDFLAG_CHECK(!has_new(*report));
  return 0;
}
