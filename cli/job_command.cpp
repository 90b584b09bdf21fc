#include "cli/job_command.h"

#include <filesystem>

#include "cli/mpi_run.h"
#include "cli/probe.h"
#include "cli/runtime_files.h"
#include "cli/toolchain.h"
#include "core/report/words.h"

namespace redflag::cli {

std::optional<JobCommand> checked_job(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (base_name(words[i]) != "redflag" || words[i + 1] != "run") continue;
    std::size_t at = i + 2;
    while (at < words.size() && words[at].starts_with('-') && words[at] != "--") ++at;
    if (at < words.size() && words[at] == "--") ++at;
    if (at < words.size()) return JobCommand{words, at};
  }
  return {};
}

std::optional<JobCommand> job_of(const std::vector<std::string>& words) {
  if (std::optional<JobCommand> found = checked_job(words)) return found;
  std::error_code fault;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string path = find_program(words[i]);
    if (path.empty() || !std::filesystem::is_regular_file(path, fault)) continue;
    const Result<Probe> probe = probe_file(path);
    if (!probe || probe->kind != FileKind::kElf || mpi_of(*probe) == MpiMake::kNone) continue;
    JobCommand made;
    made.words.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
    made.words.insert(made.words.end(), {own_path(), "run", "--"});
    made.program = made.words.size();
    made.words.insert(made.words.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                      words.end());
    return made;
  }
  return {};
}

}  // namespace redflag::cli
