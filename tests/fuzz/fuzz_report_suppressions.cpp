// Any bytes as a suppression file, applied to a fixed report.
//
// What is parsed must keep the books: each race is either still there or counted as suppressed. The
// input's own bytes are also used as names, for which the line to paste must suppress its finding.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/report/suppress.h"

namespace {

using namespace redflag;

Finding finding(Rule rule, std::string function, std::string file, std::string memory) {
  Finding f;
  f.rule = rule;
  f.addr = Addr{0x1000};
  f.size = 4;
  f.count = 3;
  f.memory = {Addr{0x1000}, 4, RegionKind::kGlobal, std::move(memory), kNoSource};
  f.first.thread_name = "T1";
  f.first.stack = {{std::move(function), std::move(file), 12, 3}, {"main", "main.cpp", 40, 1}};
  f.second.thread_name = "T2";
  return f;
}

std::uint64_t races(const Report& report) {
  std::uint64_t sum = report.suppressed;
  for (const Finding& one : report.findings) sum += one.count;
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Report report;
  report.findings = {finding(Rule::kWriteWrite, "deposit(long)", "src/bank.cpp", "balance"),
                     finding(Rule::kLockset, "", "", "a^b$c*d"),
                     finding(Rule::kFree, "operator^=(T const&)", "/usr/include/t.h", "")};
  const std::uint64_t before = races(report);
  Suppressions suppressions;
  const Result<void> parsed = suppressions.add("fuzz.supp", text);
  if (!parsed) REDFLAG_CHECK(parsed.error().message.starts_with("fuzz.supp:"));
  suppressions.apply(report);
  REDFLAG_CHECK(races(report) == before);
  REDFLAG_CHECK(parsed.has_value() || report.suppressed == 0);
  REDFLAG_CHECK(suppressions.unused().size() + suppressions.without_effect().size() <=
                suppressions.all().size());

  Report named;
  named.findings = {finding(Rule::kWriteRead, text, "src/a.cpp", text)};
  Suppressions pasted;
  const std::string line = paste_ready(named.findings[0]);
  REDFLAG_CHECK(line.size() <= kMostPasteLength);
  REDFLAG_CHECK(pasted.add("paste.supp", line + "\n").has_value());
  pasted.apply(named);
  REDFLAG_CHECK(named.findings.empty());
  return 0;
}
