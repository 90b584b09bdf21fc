// Any bytes as what ranks of a job tell each other, and any text as what rank 0 tells the command.
//
// Lines name files that would be opened: here they are replaced, so that nothing is read from the disk.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/check.h"
#include "core/report/json.h"
#include "core/report/text.h"
#include "frontends/pgas/collect/finding.h"
#include "frontends/pgas/track/record.h"

namespace {

using namespace redflag;

void as_batch(std::span<const std::byte> bytes) {
  pgas::Sources sources(0, nullptr);
  pgas::BatchContents batch;
  if (!pgas::read_batch(1, bytes, sources, batch)) return;
  for (const pgas::Record& each : batch.records) {
    const pgas::RecordShape& shape = batch.shapes.at(each.shape);
    REDFLAG_CHECK(shape.issued != nullptr && shape.atomicity.element != 0);
    REDFLAG_CHECK(each.fate < batch.fates.size());
    (void)sources.stack(shape.source);
  }
}

void as_line(std::string_view text) {
  std::optional<pgas::RaceLine> line = pgas::read_line(text);
  if (!line) return;
  REDFLAG_CHECK(pgas::read_line(pgas::write_line(*line)) == line);
  for (pgas::LineSide* side : {&line->first, &line->second}) {
    for (pgas::LineFrame& frame : side->stack) frame.file = "/nowhere/file";
  }
  static symbolize::Symbolizer symbolizer;
  std::optional<Finding> finding = pgas::to_finding(*line, symbolizer);
  if (!finding) return;
  (void)write_text(*finding);
  Report report;
  report.findings.push_back(std::move(*finding));
  (void)write_json(report, -1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto* rest = reinterpret_cast<const char*>(data) + 1;
  if (data[0] % 2 == 0) {
    as_batch(std::as_bytes(std::span(rest, size - 1)));
  } else {
    as_line({rest, size - 1});
  }
  return 0;
}
