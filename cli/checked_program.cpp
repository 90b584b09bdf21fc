#include "cli/checked_program.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/console.h"
#include "cli/cuda.h"
#include "cli/launch.h"
#include "cli/probe.h"
#include "cli/sampling.h"
#include "cli/toolchain.h"

namespace redflag::cli {
namespace {

// Programs that are run for the sake of others: it is no mistake that they are not instrumented.
constexpr std::array kLaunchers{
    std::string_view("bash"),    std::string_view("cmake"),   std::string_view("ctest"),
    std::string_view("dash"),    std::string_view("env"),     std::string_view("ksh"),
    std::string_view("make"),    std::string_view("mpiexec"), std::string_view("mpirun"),
    std::string_view("ninja"),   std::string_view("nice"),    std::string_view("nohup"),
    std::string_view("numactl"), std::string_view("perl"),    std::string_view("prterun"),
    std::string_view("python"),  std::string_view("ruby"),    std::string_view("sh"),
    std::string_view("stdbuf"),  std::string_view("taskset"), std::string_view("timeout"),
    std::string_view("xargs"),   std::string_view("zsh"),
};

// "python3.11", "mpirun.openmpi" and "bash" are all launchers.
bool is_launcher(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string_view stem =
      std::string_view(name).substr(0, name.find_first_of(".-0123456789"));
  return std::find(kLaunchers.begin(), kLaunchers.end(), stem) != kLaunchers.end();
}

Failure no_program(const std::string& name) {
  std::error_code fault;
  std::string message = "needed: a program to run\nfound: no program '" + name + "'";
  if (name.find('/') == std::string::npos) {
    message += " on PATH";
    if (!find_program("./" + name).empty()) {
      message += "\nthere is one in this folder: redflag run -- ./" + name;
    }
  } else if (std::filesystem::is_regular_file(name, fault)) {
    message = "needed: a program to run\nfound: " + name +
              " is not executable\nto mend it: chmod +x " + shell_quoted(name);
  }
  return fail(message);
}

}  // namespace

Result<CheckedProgram> look_at_program(const Arguments& arguments, std::optional<Kernels> kernels,
                                       bool quiet, bool quiet_of_job) {
  const std::string& name = arguments.operands().front();
  CheckedProgram made;
  made.path = find_program(name);
  if (made.path.empty()) return no_program(name);
  const Result<Probe> probe = probe_program(made.path);
  if (probe && probe->cut_off && !arguments.flag("force")) {
    return fail("needed: a whole program\nfound: " + name +
                " is cut off: it is shorter than its own headers say\nto mend it: link or copy it "
                "again (a full disk, or a copy that did not finish, leaves such files)");
  }
  const bool is_elf = probe && probe->kind == FileKind::kElf;
  const bool has_kernels = is_elf && uses_gpu(made.path, *probe);
  made.is_launcher = probe && (probe->kind == FileKind::kScript || is_launcher(made.path));
  // The driver is asked only where something may want it.
  if (kernels) {
    made.kernels = *kernels;
  } else if (has_kernels || made.is_launcher || arguments.flag("force")) {
    made.kernels = where_kernels_run(arguments);
  }
  if (is_elf && made.kernels == Kernels::kOnGpu) {
    made.is_cuda = has_kernels;
    made.has_cpu = probe->has_redflag;
  }
  if (is_elf && made.kernels == Kernels::kEmulated) {
    const Result<bool> cuda = needs_cuda(made.path, *probe);
    if (!cuda && !arguments.flag("force")) return Failure(cuda.error());
    made.is_cuda = !cuda || *cuda;
    made.has_cpu = probe->has_redflag;
  }
  if (is_elf) made.mpi = mpi_of(*probe);
  if (made.mpi != MpiMake::kNone && !arguments.flag("force")) {
    if (std::string wrong = wrong_launcher(made.mpi); !wrong.empty()) return fail(wrong);
  }
  if (arguments.flag("predict") && made.mpi == MpiMake::kNone) {
    return fail(
        "needed: a program of MPI or OpenSHMEM, for --predict\nfound: " + name +
        " is none\nto mend it: put the launcher in front (mpirun -n 4 redflag run --predict "
        "-- PROGRAM), or leave out --predict; for threads, record a trace and use 'redflag "
        "replay --detector=lockset'");
  }
  if (made.is_cuda) return made;
  if (made.mpi != MpiMake::kNone && !probe->instrumented) {
    if (Result<void> can = can_sample(arguments, name, *probe, true); !can) {
      return Failure(can.error());
    }
    if (!quiet_of_job && strategy_of(arguments.text("sample")) != "NL") {
      print_note(name +
                 " is not instrumented: its one-sided operations are checked against each other, "
                 "its own loads and stores are not seen\nto see them: build it with 'redflag "
                 "mpicc' or 'redflag mpicxx'");
    }
    return made;
  }
  // Programs may be executable and not readable: then nothing can be said about them.
  if (!probe || arguments.flag("force") || quiet) {
    if (!probe && ::access(made.path.c_str(), R_OK) == 0) return Failure(probe.error());
    return made;
  }
  if (probe->kind == FileKind::kScript || (!probe->instrumented && is_launcher(made.path))) {
    print_note(name +
               " is not instrumented itself; those programs it starts that are will be "
               "checked");
    return made;
  }
  if (probe->kind != FileKind::kElf) return made;
  if (!probe->instrumented) {
    return fail("needed: a program built for checking\nfound: " + name +
                " has no instrumentation: no race in it can be seen" + std::string(kHowToBuild) +
                "\nto run it all the same, for instrumented programs that it starts or libraries "
                "that it loads: redflag run --force");
  }
  if (probe->has_tsan && !probe->has_redflag) {
    return fail("needed: a program linked with libredflag\nfound: " + name +
                " is linked with ThreadSanitizer's runtime\nto mend it: link it again with "
                "'redflag c++' or $(redflag flags ld); objects need not be compiled again\nto run "
                "it all the same, with ThreadSanitizer's own reports: redflag run --force");
  }
  Result<void> can = can_sample(arguments, name, *probe, made.mpi != MpiMake::kNone);
  if (!can) return Failure(can.error());
  return made;
}

}  // namespace redflag::cli
