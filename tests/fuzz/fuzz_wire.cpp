// Any bytes as what a checked process sends: a message, or a finding that every printer can print.
//
// The process's map has one module that cannot be opened, so that nothing is read from the disk.
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/check.h"
#include "core/report/fault.h"
#include "core/report/fold.h"
#include "core/report/json.h"
#include "core/report/known.h"
#include "core/report/render.h"
#include "core/report/suppress.h"
#include "core/report/text.h"
#include "core/report/tsan_text.h"
#include "frontends/cpu/collect/resolve.h"
#include "frontends/cpu/wire/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace redflag;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  (void)wire::decode_hello(bytes);
  (void)wire::decode_bye(bytes);
  const Result<wire::RaceMessage> message = wire::decode_race(bytes);
  if (!message) {
    REDFLAG_CHECK(!message.error().message.empty());
    return 0;
  }
  const std::vector<std::byte> again = wire::encode_race(*message);
  REDFLAG_CHECK(again.size() == bytes.size());
  static symbolize::Symbolizer symbolizer;
  static const symbolize::ProcessMap map =
      symbolize::parse_maps("1000-2000 r-xp 00000000 08:01 1 /nowhere/program\n");
  Report report;
  report.findings.push_back(collect::resolve(*message, map, symbolizer));
  const Finding& finding = report.findings.front();
  REDFLAG_CHECK(!write_text(finding).empty());
  REDFLAG_CHECK(!write_tsan(finding, {.pid = 1, .build_id = {}}).empty());
  REDFLAG_CHECK(paste_ready(finding).size() <= kMostPasteLength);
  REDFLAG_CHECK(!info(fault_of(finding, {})).text.empty());
  (void)known_race(finding);
  fold(report);
  for (const OutputFormat& format : kOutputFormats) {
    REDFLAG_CHECK(!format.render(report, nullptr).empty());
  }
  REDFLAG_CHECK(read_json("own.json", write_json(report)).has_value());
  return 0;
}
