// A file or a folder of our own for the time of one run, in the folder that TMPDIR names: what layers inside the
// program write and the command reads.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace redflag::cli {

// Made, empty, and only this user's; whoever asked removes it. `purpose`: "what the job is found to do".
Result<std::string> make_temporary(std::string_view stem, std::string_view purpose);

// A folder that goes, with all that is in it, when this does.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(std::string_view purpose);

  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: moved from
};

}  // namespace redflag::cli
