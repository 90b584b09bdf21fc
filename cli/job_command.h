// JobCommand: where in a launcher's command line the program of a job stands.
//
//   mpirun -n 4 redflag run -- ./app 100      as the job was checked
//   mpirun -n 4 ./app 100                     'redflag run --' is put in before the program
//
// Launchers have many options, some with values, and they are not looked at: the program is the first word that is
// an executable file which needs an MPI or OpenSHMEM library.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace redflag::cli {

struct JobCommand {
  std::vector<std::string> words;  // with 'redflag run' in it
  std::size_t program = 0;         // its place
};

// The words as they are, if 'redflag run PROGRAM' is among them.
std::optional<JobCommand> checked_job(const std::vector<std::string>& words);
// Or made so; nothing: no such program is among them.
std::optional<JobCommand> job_of(const std::vector<std::string>& words);

}  // namespace redflag::cli
