// Findings in ThreadSanitizer's words, for the tools and tests that read its output.
//
// The layout is that of the runtime of clang 19: the later access first, then the earlier one, the
// memory, the locks, the threads, a summary line. Locks are numbered within one finding (M0, M1).
// An access is shown as TSan's shadow has it: its part of one aligned word of 8 bytes. Names are printed through clean.h, as everywhere. No colour.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/model/finding.h"

namespace redflag {

struct TsanOptions {
  std::uint32_t pid = 0;
  // The build id of a module in hexadecimal, or nothing. Empty: none are printed.
  std::function<std::string(const std::string& module)> build_id;
  std::string strip_path_prefix{};  // what comes before and with it in a file's name is left out
  bool all_threads = false;         // also those that made the racing threads
};

// One finding, between lines of equals signs.
std::string write_tsan(const Finding& finding, const TsanOptions& options);

// A stack alone, as __sanitizer_print_stack_trace() prints it.
std::string write_tsan_stack(const Stack& stack);

// "ThreadSanitizer: reported 2 warnings"; nothing when there was none.
std::string tsan_last_line(std::uint64_t findings);

}  // namespace redflag
