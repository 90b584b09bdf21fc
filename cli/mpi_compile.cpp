// redflag mpicc, mpicxx, mpifort, oshcc: the library's own compiler wrapper, which is told to call ours.
//
// Open MPI's and MPICH's wrappers add the flags of their libraries and call the compiler that a
// variable names. So the flags are theirs, the instrumentation is ours, and whatever the user adds
// reaches both. Options of ours reach 'redflag cc' by REDFLAG_OPTIONS: the variable with its name
// is split at spaces by some wrappers and not by others.
#include <array>
#include <cstdlib>

#include "cli/console.h"
#include "cli/run.h"
#include "cli/runtime_files.h"
#include "cli/toolchain.h"

namespace redflag::cli {
namespace {

constexpr std::array kHandedOn{std::string_view("sampling"), std::string_view("count-instructions"),
                               std::string_view("own-pass"), std::string_view("shared-runtime")};

struct Wrapper {
  const char* name;
  const char* variable;  // names another one
  const char* ours;      // what it calls
  const char* open_mpi;  // the variables by which it is told to
  const char* or_by;
};
constexpr Wrapper kC{"mpicc", "REDFLAG_MPICC", "redflag-cc", "OMPI_CC", "MPICH_CC"};
constexpr Wrapper kShmem{"oshcc", "REDFLAG_OSHCC", "redflag-cc", "OSHMEM_CC", "OMPI_CC"};
constexpr Wrapper kCxx{"mpicxx", "REDFLAG_MPICXX", "redflag-c++", "OMPI_CXX", "MPICH_CXX"};
constexpr Wrapper kFortran{"mpifort", "REDFLAG_MPIFORT", "redflag-fortran", "OMPI_FC", "MPICH_FC"};

void hand_on(const Arguments& arguments) {
  const char* const given = std::getenv("REDFLAG_OPTIONS");
  std::string options(given == nullptr ? "" : given);
  for (const std::string_view name : kHandedOn) {
    if (!arguments.is_set(name)) continue;
    options += (options.empty() ? "" : " ") + std::string(name) + "=" +
               (arguments.flag(name) ? "yes" : "no");
  }
  if (!options.empty()) ::setenv("REDFLAG_OPTIONS", options.c_str(), 1);
}

Status compile(const Arguments& arguments, const Wrapper& wrapper) {
  const char* const named = std::getenv(wrapper.variable);
  std::string wanted = arguments.text("compiler");
  if (wanted.empty()) wanted = named != nullptr && *named != '\0' ? named : wrapper.name;
  const std::string path = find_program(wanted);
  if (path.empty()) {
    return bad_input(std::string("needed: the compiler wrapper ") + wrapper.name +
                     "\nfound: no program '" + wanted +
                     "' on PATH\nto mend it: apt-get install libopenmpi-dev openmpi-bin, or name "
                     "another by --compiler or " +
                     wrapper.variable);
  }
  const std::string own = own_path();
  const std::string ours = own.substr(0, own.find_last_of('/') + 1) + wrapper.ours;
  ::setenv(wrapper.open_mpi, ours.c_str(), 1);
  ::setenv(wrapper.or_by, ours.c_str(), 1);
  hand_on(arguments);
  std::vector<std::string> command{path};
  command.insert(command.end(), arguments.operands().begin(), arguments.operands().end());
  return become(command);
}

}  // namespace

Status run_mpicc(const Arguments& arguments) {
  return compile(arguments, kC);
}

Status run_mpicxx(const Arguments& arguments) {
  return compile(arguments, kCxx);
}

Status run_mpifort(const Arguments& arguments) {
  return compile(arguments, kFortran);
}

Status run_oshcc(const Arguments& arguments) {
  return compile(arguments, kShmem);
}

}  // namespace redflag::cli
