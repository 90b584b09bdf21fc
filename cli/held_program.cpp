#include "cli/held_program.h"

#include <filesystem>

#include "cli/probe.h"
#include "cli/toolchain.h"
#include "core/report/words.h"

namespace redflag::cli {

Result<void> HeldProgram::find(const std::vector<std::string>& words) {
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
                "main.cpp -o main (docs/running.md)");
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
