// HeldProgram: the program that `redflag confirm` runs again, and where its code is.
//
// It must be the one that the report speaks of. Reports of live runs name binaries with their build ids:
// another build is not accepted, a file that was moved is. Those of traces have only source files and lines, which
// are looked for in the program and the instrumented libraries that it is linked with.
#pragma once

#include <string>
#include <vector>

#include "confirm/pairs.h"
#include "core/base/error.h"
#include "core/symbolize/symbolizer.h"

namespace redflag::cli {

class HeldProgram {
 public:
  explicit HeldProgram(const Report& report) : report_(report) {}  // not owned

  // `words`: the program and its arguments.
  Result<void> find(const std::vector<std::string>& words);

  const std::string& name() const { return words_.front(); }
  const std::string& path() const { return path_; }
  const std::vector<std::string>& words() const { return words_; }

  symbolize::Symbolizer& symbolizer() { return symbolizer_; }
  confirm::Locator locator();  // valid as long as this is

 private:
  std::string module_now(const std::string& path);

  const Report& report_;
  std::vector<std::string> words_;
  std::string path_;
  std::vector<std::string> modules_;  // the program's file and its libraries
  symbolize::Symbolizer symbolizer_;
};

}  // namespace redflag::cli
