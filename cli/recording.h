// Recording: `redflag run --record=out.rft`, before and after the run.
//
// The processes write raw files into a folder beside the trace, by mapping them: nothing is lost
// when one is killed. Afterwards each becomes a trace. The one that did most is out.rft, the others
// out.PID.rft, since a trace is of one process. The folder is removed at the end.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/trace/writer.h"

namespace redflag::cli {

class Recording {
 public:
  // Creates the trace and the folder, so that a wrong path is told before the program runs.
  static Result<Recording> prepare(const std::string& path);

  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&&) = delete;
  ~Recording();

  // For REDFLAG_RECORD.
  std::string prefix() const { return folder_ + "/process"; }

  Result<void> finish(bool quiet);

 private:
  Recording(std::string path, std::string folder, std::unique_ptr<EventWriter> writer)
      : path_(std::move(path)), folder_(std::move(folder)), writer_(std::move(writer)) {}

  std::string path_;
  std::string folder_;  // empty: moved from
  std::unique_ptr<EventWriter> writer_;
};

// "run.rft" and 7 give "run.7.rft"; without the suffix ".7" is appended.
std::string numbered(const std::string& path, std::uint32_t pid);

}  // namespace redflag::cli
