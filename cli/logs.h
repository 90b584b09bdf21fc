// Logs: what is printed of each process, in a file of its own (--log-path, TSAN_OPTIONS=log_path).
//
// The file is PATH.PID, as ThreadSanitizer names it, with the program's name before the number and a
// suffix behind it where flags ask for them. It is made when there is something to write, so that a
// process without races leaves none. A process may choose another file while it runs
// (__sanitizer_set_report_path), or a descriptor of its own. What cannot be written to a file goes
// to standard error, with a note. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cli/tsan_options.h"
#include "core/base/error.h"

namespace redflag::cli {

class Logs {
 public:
  Logs() = default;
  ~Logs();
  Logs(const Logs&) = delete;
  Logs& operator=(const Logs&) = delete;

  // Makes the folder of `path`, so that a wrong path is known before the program starts. stdout and
  // stderr are these; an empty path is stderr.
  Result<void> set_path(const std::string& path, const TsanSettings& settings);

  // For one process, from now on.
  void set_path_of(std::uint32_t pid, const std::string& path);
  void set_descriptor_of(std::uint32_t pid, int descriptor);

  bool are_files() const { return !path_.empty() || !own_.empty(); }
  void write(std::uint32_t pid, std::string_view text);

 private:
  std::string name_for(std::uint32_t pid, const std::string& path) const;
  int open_for(std::uint32_t pid);

  std::string path_;
  bool to_output_ = false;
  TsanSettings settings_;
  std::map<std::uint32_t, std::string> own_;  // files that processes chose
  std::map<std::uint32_t, int> open_;         // -1: it cannot be opened
};

}  // namespace redflag::cli
