#include "cli/runtime_files.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace redflag::cli {

std::string own_path() {
  std::error_code fault;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", fault);
  return fault ? std::string() : self.string();
}

Result<RuntimeFiles> find_runtime(std::string_view name) {
  std::error_code fault;
  std::vector<std::filesystem::path> folders;
  const char* chosen = std::getenv("REDFLAG_LIBRARY_DIR");
  if (chosen != nullptr && *chosen != '\0') {
    folders.push_back(std::filesystem::absolute(chosen, fault));
  } else if (const std::string self = own_path(); !self.empty()) {
    const std::filesystem::path bin = std::filesystem::path(self).parent_path();
    for (const char* folder : {"../lib", "../" REDFLAG_INSTALL_LIBDIR}) {
      const std::filesystem::path candidate = (bin / folder).lexically_normal();
      if (folders.empty() || folders.back() != candidate) folders.push_back(candidate);
    }
  }
  std::string looked;
  for (const std::filesystem::path& folder : folders) {
    if (std::filesystem::exists(folder / name, fault)) {
      return RuntimeFiles{folder.lexically_normal().string(), {}};
    }
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  const bool is_pass = name.find("-pass") != std::string_view::npos;
  return fail("needed: " + std::string(name) +
              (is_pass ? ", which programs are compiled with"
                       : ", which checked programs are linked with or load") +
              "\nfound: none in " + (looked.empty() ? "the folder of this command" : looked) +
              "\nto get it: cmake --build BUILD --target " +
              (is_pass ? "redflag_pass (needs the package llvm-19-dev)" : "product") +
              ", or install Redflag again\nor name its folder: REDFLAG_LIBRARY_DIR=DIR");
}

}  // namespace redflag::cli
