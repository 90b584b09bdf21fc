#include "frontends/pgas/track/layer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "frontends/pgas/wire/line.h"

namespace redflag::pgas {
namespace {

[[gnu::constructor]] void leave_preload() {
  const char* const list = std::getenv("LD_PRELOAD");
  if (list == nullptr) return;
  std::string kept;
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t end = rest.find_first_of(" :");
    const std::string_view one = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (one.empty() || one.find("redflag/libredflag-") != std::string_view::npos) continue;
    kept += (kept.empty() ? "" : ":") + std::string(one);
  }
  if (kept.empty()) {
    ::unsetenv("LD_PRELOAD");
  } else {
    ::setenv("LD_PRELOAD", kept.c_str(), 1);
  }
}

}  // namespace

const abi::WatchTable* runtime() {
  static const abi::WatchTable* const found = find_runtime();
  return found;
}

// One write for each line: a job that is killed leaves whole ones.
void report(const std::string& line) {
  static const int file = [] {
    const char* path = std::getenv(kReportVariable);
    return path == nullptr ? -1 : ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }();
  const std::string whole = line + "\n";
  if (file >= 0) (void)!::write(file, whole.data(), whole.size());
}

Job::Options options_of(Model model) {
  Job::Options made;
  made.model = model;
  made.report = report;
  made.predicts = std::getenv(kPredictVariable) != nullptr;
  // For tests: little is gathered before it is told and checked.
  if (const char* const batch = std::getenv("REDFLAG_PGAS_BATCH")) {
    made.batch = std::max<std::size_t>(1, std::strtoull(batch, nullptr, 10));
    made.most_waiting = made.batch;
  }
  return made;
}

}  // namespace redflag::pgas
