// HeldProgram: the program that `redflag confirm` runs again, and where its code is.
//
// It must be the one that the report speaks of. Reports of live runs name binaries with their build ids:
// another build is not accepted, a file that was moved is. Those of traces have only source files and lines, which
// are looked for in the program and the instrumented libraries that it is linked with. Of a job of MPI or OpenSHMEM the
// command line is that of its launcher (job_command.h).
#pragma once

#include <string>
#include <vector>

#include "cli/job_command.h"
#include "confirm/pairs.h"
#include "core/base/error.h"
#include "core/symbolize/symbolizer.h"

namespace redflag::cli {

class HeldProgram {
 public:
  explicit HeldProgram(const Report& report) : report_(report) {}  // not owned

  // `words`: the program and its arguments.
  Result<void> find(const std::vector<std::string>& words);
  bool is_job() const { return program_ != 0; }

  const std::string& name() const { return words_[program_]; }
  const std::string& path() const { return path_; }
  const std::vector<std::string>& words() const { return words_; }

  symbolize::Symbolizer& symbolizer() { return symbolizer_; }
  confirm::Locator locator();  // valid as long as this is

 private:
  bool has_operations() const;  // in the report
  Result<void> find_job(const JobCommand& job);
  std::string module_now(const std::string& path);

  const Report& report_;
  std::vector<std::string> words_;
  std::string path_;
  std::size_t program_ = 0;           // its place in words_; not the first: a launcher is
  std::vector<std::string> modules_;  // the program's file and its libraries
  symbolize::Symbolizer symbolizer_;
};

}  // namespace redflag::cli
