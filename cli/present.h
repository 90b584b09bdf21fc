// Presentation: from a report to what the user sees: suppressed, compared, printed, written.
//
// prepare() comes before the work: it reads the suppressions and the baseline and creates every
// output file, so that a wrong path costs a second and not a run. finish() comes after it. Files
// appear only when whole, and before anything is printed. When a file is standard output, the text
// stays out of its way and only the summary goes to standard error.
//
// Of a live run the findings have been suppressed, folded and printed when they happened:
// finish_live() does the rest, and says it on standard error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/status.h"
#include "core/report/render.h"
#include "core/report/suppress.h"

namespace redflag::cli {

class Presentation {
 public:
  // `suffix` goes behind the names of output files.
  static Result<Presentation> prepare(const Arguments& arguments, std::string_view suffix = {});

  // `table`: figures to print between the findings and the summary; `look_further`: the command to
  // suggest where no file was written.
  Status finish(Report report, const std::string& table, const std::string& look_further);

  // `is_tsan`: `last_words` stand in the place of our summary.
  Status finish_live(Report report, bool is_tsan, const std::string& last_words);

  Suppressions& suppressions() { return suppressions_; }
  SourceReader* sources() { return reader_.get(); }  // nullptr: no excerpts

 private:
  void say_unused(bool is_live) const;
  std::string wrote() const;
  std::string text(const Report& report, const std::string& table,
                   const std::string& look_further) const;

  const Arguments* arguments_ = nullptr;
  Suppressions suppressions_;
  std::unique_ptr<SourceReader> reader_;
  std::optional<Report> baseline_;
  std::vector<PendingOutput> outputs_;
  std::vector<OutputPlan::Request> requests_;
  bool takes_stdout_ = false;  // an output is "-"
};

}  // namespace redflag::cli
