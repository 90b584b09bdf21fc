#include "cli/temporary.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace redflag::cli {

Result<std::string> make_temporary(std::string_view stem, std::string_view purpose) {
  std::error_code fault;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(fault);
  std::string file = (folder / (std::string(stem) + "-XXXXXX")).string();
  const int fd = fault ? -1 : ::mkostemp(file.data(), O_CLOEXEC);
  if (fd < 0) {
    return fail("needed: a temporary file, for " + std::string(purpose) +
                "\nfound: cannot create " + file + ": " +
                (fault ? fault.message() : std::strerror(errno)) +
                "\nto mend it: name a folder that can be written by TMPDIR");
  }
  ::close(fd);
  return file;
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view purpose) {
  std::error_code fault;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(fault);
  std::string path = (parent / "redflag-XXXXXX").string();
  if (fault || ::mkdtemp(path.data()) == nullptr) {
    return fail("needed: a folder for " + std::string(purpose) + "\nfound: cannot create " + path +
                "\nto mend it: name a folder that can be written by TMPDIR");
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code fault;
  if (!path_.empty()) std::filesystem::remove_all(path_, fault);
}

}  // namespace redflag::cli
