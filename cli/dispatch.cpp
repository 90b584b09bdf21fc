// From words to a command to a status, and what happens when something is wrong.
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/console.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/options_page.h"
#include "cli/ranks.h"
#include "cli/run.h"

namespace redflag::cli {
namespace {

Status dispatch(const Arguments& arguments) {
  switch (arguments.command().id) {
    case Command::kRun:
      return run_run(arguments);
    case Command::kCc:
      return run_cc(arguments);
    case Command::kCxx:
      return run_cxx(arguments);
    case Command::kFortran:
      return run_fortran(arguments);
    case Command::kNvcc:
      return run_nvcc(arguments);
    case Command::kMpicc:
      return run_mpicc(arguments);
    case Command::kMpicxx:
      return run_mpicxx(arguments);
    case Command::kMpifort:
      return run_mpifort(arguments);
    case Command::kOshcc:
      return run_oshcc(arguments);
    case Command::kFlags:
      return run_flags(arguments);
    case Command::kReplay:
      return run_replay(arguments);
    case Command::kReport:
      return run_report(arguments);
    case Command::kConfirm:
      return run_confirm(arguments);
    case Command::kTraceInfo:
      return run_trace_info(arguments);
    case Command::kTraceConvert:
      return run_trace_convert(arguments);
    case Command::kTraceGenerate:
      return run_trace_generate(arguments);
    case Command::kTraceCheck:
      return run_trace_check(arguments);
    case Command::kPtx:
      return run_ptx(arguments);
    case Command::kDetectors:
      return run_detectors(arguments);
    case Command::kDetectorsCompare:
      return run_detectors_compare(arguments);
    case Command::kSimParsnip:
      return run_sim_parsnip(arguments);
    case Command::kSimScord:
      return run_sim_scord(arguments);
    case Command::kDoctor:
      return run_doctor(arguments);
    case Command::kCompletion:
      return run_completion(arguments);
    case Command::kHelp:
      return run_help(arguments);
    case Command::kVersion:
      return print_and_end("redflag " REDFLAG_VERSION "\n");
    case Command::kManual:
      return print_and_end(arguments.flag("markdown") ? options_page() : manual_page());
    case Command::kAttend:
      return run_attend(arguments);
  }
  return Status::kFault;
}

}  // namespace

Status run(std::span<const std::string> words) {
  try {
    const Result<Arguments> arguments =
        parse_arguments(words, std::getenv("REDFLAG_OPTIONS"), std::getenv("TSAN_OPTIONS"));
    if (!arguments) {
      // Every rank of an MPI launch sees the same mistake; one message is enough.
      if (launched_rank() == 0) print_error(arguments.error().message);
      return Status::kBadInput;
    }
    if (arguments->flag("help")) return print_and_end(command_help(arguments->command()));
    // A program that runs alone has said the same before it started its reporter.
    if (arguments->command().id != Command::kAttend && launched_rank() == 0) {
      for (const std::string& line : arguments->complaints()) print_note(line);
    }
    return dispatch(*arguments);
  } catch (const std::bad_alloc&) {
    print_error("out of memory\ntry a smaller trace, or fewer --jobs");
  } catch (const std::exception& fault) {
    print_error(std::string("a fault of Redflag itself: ") + fault.what());
  }
  return Status::kFault;
}

}  // namespace redflag::cli
