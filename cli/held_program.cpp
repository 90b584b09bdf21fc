#include "cli/held_program.h"

#include <algorithm>
#include <filesystem>

#include "cli/probe.h"
#include "cli/toolchain.h"
#include "core/report/words.h"

namespace redflag::cli {

bool HeldProgram::has_operations() const {
  return std::any_of(report_.findings.begin(), report_.findings.end(), [](const Finding& each) {
    return (each.has_first && each.first.rma) || each.second.rma;
  });
}

Result<void> HeldProgram::find_job(const JobCommand& job) {
  words_ = job.words;
  program_ = job.program;
  path_ = find_program(words_.front());
  if (path_.empty()) {
    return fail("needed: the launcher of the job\nfound: no program '" + words_.front() +
                "'\nas in: redflag confirm report.json -- mpirun -n 4 redflag run -- ./app");
  }
  std::error_code fault;
  const std::string program = find_program(name());
  if (program.empty()) {
    return fail(
        "needed: the program that the report speaks of, to run it again\nfound: no program '" +
        name() + "'\nas in: redflag confirm report.json -- mpirun -n 4 redflag run -- ./app");
  }
  modules_.push_back(std::filesystem::canonical(program, fault).string());
  if (const Result<Probe> probe = probe_program(program)) {
    for (const std::string& library : probe->libraries) {
      modules_.push_back(std::filesystem::canonical(library, fault).string());
    }
  }
  return {};
}

Result<void> HeldProgram::find(const std::vector<std::string>& words) {
  if (const auto job = has_operations() ? job_of(words) : checked_job(words)) {
    return find_job(*job);
  }
  if (has_operations()) {
    return fail(
        "needed: the job that the report speaks of: its launcher, with 'redflag run' before the "
        "program\nfound: " +
        words.front() +
        ", and no program of MPI or OpenSHMEM behind it\nto mend it: redflag confirm report.json "
        "-- mpirun -n 4 redflag run -- ./app");
  }
  words_ = words;
  const std::string& name = words_.front();
  path_ = find_program(name);
  if (path_.empty()) {
    return fail(
        "needed: the program that the report speaks of, to run it again\nfound: no program '" +
        name + "'\nas in: redflag confirm report.json -- ./server --port=8080");
  }
  const Result<Probe> probe = probe_program(path_);
  if (!probe) return Failure(probe.error());
  std::error_code fault;
  modules_.push_back(std::filesystem::canonical(path_, fault).string());
  for (const std::string& library : probe->libraries) {
    modules_.push_back(std::filesystem::canonical(library, fault).string());
  }
  if (probe->kind != FileKind::kElf) return {};
  if (probe->instrumented && !probe->has_redflag) {
    return fail("needed: a program linked with libredflag\nfound: " + name +
                " is instrumented, but linked with another runtime\nto mend it: link it again "
                "with 'redflag c++'");
  }
  // A launcher may start one: then the report knows its binary.
  if (!probe->instrumented && report_.modules.empty()) {
    return fail("needed: a program built for checking\nfound: " + name +
                " has no instrumentation: its threads cannot be held\nto build it: redflag c++ "
                "main.cpp -o main (docs/user/threads.md)");
  }
  return {};
}

// The module as it is now, by what the report knows of its build.
std::string HeldProgram::module_now(const std::string& path) {
  std::string wanted;
  for (const ModuleOrigin& module : report_.modules) {
    if (module.path == path) wanted = module.build_id;
  }
  std::error_code fault;
  if (wanted.empty()) {
    if (std::filesystem::exists(path, fault)) return path;
  } else if (symbolizer_.build_id(path) == wanted) {
    return path;
  }
  // It may have been moved.
  for (const std::string& module : modules_) {
    const bool same = wanted.empty() ? base_name(module) == base_name(path)
                                     : symbolizer_.build_id(module) == wanted;
    if (same) return module;
  }
  return {};
}

confirm::Locator HeldProgram::locator() {
  confirm::Locator made;
  made.module = [this](const std::string& path) { return module_now(path); };
  made.by_line = [this](const Frame& place) {
    std::vector<confirm::Statement> out;
    for (const std::string& module : modules_) {
      for (const symbolize::CodeRange& range : symbolizer_.code_of(module, place)) {
        out.push_back({module, range.begin, range.end});
      }
    }
    return out;
  };
  return made;
}

}  // namespace redflag::cli
