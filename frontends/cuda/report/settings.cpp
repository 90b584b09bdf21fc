#include "frontends/cuda/report/settings.h"

#include <array>
#include <bit>
#include <charconv>

#include "core/detect/registry.h"

namespace redflag::cuda_report {
namespace {

bool number(std::string_view text, std::uint64_t& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc{} && end == text.data() + text.size();
}

bool flag(std::string_view text, bool& value) {
  value = text == "yes" || text == "1" || text == "true";
  return value || text == "no" || text == "0" || text == "false";
}

struct Row {
  std::string_view key;
  std::string_view expected;
  bool (*set)(Settings&, std::string_view);
};
constexpr std::array<Row, 11> kRows{{
    {"seed", "a number", [](Settings& s, std::string_view v) { return number(v, s.seed); }},
    {"timeout", "seconds",
     [](Settings& s, std::string_view v) { return number(v, s.timeout_seconds); }},
    {"lockstep", "yes or no", [](Settings& s, std::string_view v) { return flag(v, s.lockstep); }},
    {"strict", "cuda or ptx",
     [](Settings& s, std::string_view v) {
       s.formal = v == "ptx";
       return s.formal || v == "cuda";
     }},
    {"detector", "a name that 'redflag detectors' lists",
     [](Settings& s, std::string_view v) {
       // One for threads of the CPU is the runtime's matter, not that of kernels.
       if (gpu::find_gpu_detector(v) != nullptr) {
         s.detector = v;
         s.detector_chosen = true;
       }
       return gpu::find_gpu_detector(v) != nullptr || find_detector(v) != nullptr;
     }},
    {"detect", "yes or no", [](Settings& s, std::string_view v) { return flag(v, s.detect); }},
    {"granularity", "4, 8 or 16",
     [](Settings& s, std::string_view v) {
       return number(v, s.granularity) &&
              (s.granularity == 4 || s.granularity == 8 || s.granularity == 16);
     }},
    {"accessors", "1, 2, 4 or 8",
     [](Settings& s, std::string_view v) {
       return number(v, s.accessors) && std::has_single_bit(s.accessors) && s.accessors <= 8;
     }},
    {"metadata-cache", "yes or no",
     [](Settings& s, std::string_view v) { return flag(v, s.metadata_cache); }},
    {"eager", "yes or no", [](Settings& s, std::string_view v) { return flag(v, s.eager); }},
    {"exit-status", "a number from 0 to 255",
     [](Settings& s, std::string_view v) {
       std::uint64_t n = 0;
       if (!number(v, n) || n > 255) return false;
       s.exit_status = static_cast<int>(n);
       return true;
     }},
}};

}  // namespace

Result<Settings> read_settings(std::string_view options, std::string_view report,
                               std::string_view record) {
  Settings settings;
  settings.report = report;
  settings.record = record;
  constexpr std::string_view kBlank = " \t\n:,";
  while (!options.empty()) {
    const std::size_t begin = options.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) break;
    options.remove_prefix(begin);
    const std::string_view word = options.substr(0, options.find_first_of(kBlank));
    options.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view("yes") : word.substr(equals + 1);
    for (const Row& row : kRows) {
      if (row.key != key || row.set(settings, value)) continue;
      return fail(std::string(kOptionsVariable) + ": " + std::string(key) + "=" +
                  std::string(value) + ": expected " + std::string(row.expected));
    }
  }
  return settings;
}

}  // namespace redflag::cuda_report
