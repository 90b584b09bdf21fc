// OutputFile: a file that appears under its name only when it is whole.
//
// Opening creates a temporary file in the destination's folder, so an unwritable path fails in the
// first second, before any work; commit() flushes, syncs and renames it over the final name.
// Whatever happens before (error, destructor, the end of the process by check.h), the final name is
// untouched and the temporary file is removed. "-" and existing non-regular files (/dev/null, a pipe)
// are written directly. One thread at a time for each; at most kMaxOpen at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace redflag {

class OutputFile {
 public:
  static constexpr int kMaxOpen = 32;

  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  const std::string& path() const { return path_; }

  Result<void> write(const void* data, std::size_t size);
  Result<void> write(std::string_view text) { return write(text.data(), text.size()); }
  Result<void> commit();

 private:
  OutputFile(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}
  void discard() noexcept;

  std::string path_;       // as the user wrote it
  std::string temporary_;  // empty: written directly
  int fd_ = -1;            // -1: committed or moved from
};

// For those who end the process at once: removes every temporary file. Uses only unlink(2).
void remove_unfinished_outputs() noexcept;

// Reads a whole file ("-": standard input) of at most `limit` bytes.
Result<std::string> read_file(const std::string& path, std::size_t limit);

}  // namespace redflag
