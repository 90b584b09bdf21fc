// redflag report: a JSON report shown as text, converted, suppressed and compared again.
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/present.h"
#include "cli/run.h"
#include "core/report/baseline.h"

namespace redflag::cli {
namespace {

Status show(const Arguments& arguments) {
  const std::string& file = arguments.operands().front();
  Result<Presentation> presentation = Presentation::prepare(arguments);
  if (!presentation) return bad_input(presentation.error().message);
  Result<Report> report = read_report(file);
  if (!report) {
    return bad_input(report.error().message +
                     "\nneeded: a JSON report, as 'redflag replay --json=FILE' writes");
  }
  return presentation->finish(
      std::move(*report), "",
      "redflag report --html=report.html " + (file == "-" ? "FILE" : shell_quoted(file)));
}

}  // namespace

Status run_report(const Arguments& arguments) {
  Status status = Status::kBadInput;
  {
    const InterruptGuard guard;
    status = show(arguments);
  }
  end_if_interrupted();
  return status;
}

}  // namespace redflag::cli
