// Input: a trace that can be opened any number of times.
//
// Workers and the explainer each read the trace by themselves, so a pipe or standard input is first
// copied into a temporary file (in $TMPDIR, else /tmp). That file has no name any more once it is
// open: nothing is left behind, whatever happens. A regular file is used where it is.
#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/trace/reader.h"

namespace redflag::cli {

class Input {
 public:
  static Result<Input> open(const std::string& path);  // "-": standard input

  Input(Input&& other) noexcept;
  Input& operator=(Input&& other) = delete;
  ~Input();

  const std::string& name() const { return name_; }  // for messages and reports
  // A new reader from the start. May be called by several threads.
  Result<std::unique_ptr<EventReader>> read() const;
  // The message of a reader, with the input's own name in it.
  std::string renamed(const std::string& message) const;

 private:
  Input(std::string name, std::string path, int fd)
      : name_(std::move(name)), path_(std::move(path)), fd_(fd) {}

  std::string name_;
  std::string path_;
  int fd_ = -1;  // of the temporary file; -1: none
};

}  // namespace redflag::cli
