#include "cli/logs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/console.h"

namespace redflag::cli {
namespace {

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Logs::~Logs() {
  for (const auto& [pid, fd] : open_) {
    if (fd >= 0) ::close(fd);
  }
}

Result<void> Logs::set_path(const std::string& path, const TsanSettings& settings) {
  settings_ = settings;
  to_output_ = path == "stdout";
  path_ = to_output_ || path == "stderr" ? std::string() : path;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (folder.empty()) return {};
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (!fault && ::access(folder.c_str(), W_OK) == 0) return {};
  return fail("needed: a folder for logs, of --log-path or TSAN_OPTIONS=log_path\nfound: " +
              folder.string() + ": " + (fault ? fault.message() : std::strerror(errno)) +
              "\nto print to standard error: leave the option out");
}

void Logs::set_path_of(std::uint32_t pid, const std::string& path) {
  if (const auto at = open_.find(pid); at != open_.end()) {
    if (at->second >= 0) ::close(at->second);
    open_.erase(at);
  }
  if (path == "stderr" || path.empty()) {
    open_[pid] = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  } else if (path == "stdout") {
    open_[pid] = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  }
  own_[pid] = name_for(pid, path);
}

void Logs::set_descriptor_of(std::uint32_t pid, int descriptor) {
  set_path_of(pid, "stderr");
  const std::string name = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
  const int fd = ::open(name.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return print_note(name + ": " + std::strerror(errno) + "; races are printed here");
  ::close(std::exchange(open_[pid], fd));
}

std::string Logs::name_for(std::uint32_t pid, const std::string& path) const {
  std::string name = path;
  if (settings_.log_exe_name) {
    std::error_code fault;
    const std::string link = "/proc/" + std::to_string(pid) + "/exe";
    name += "." + std::filesystem::read_symlink(link, fault).filename().string();
  }
  return name + "." + std::to_string(pid) + settings_.log_suffix;
}

int Logs::open_for(std::uint32_t pid) {
  const auto at = open_.find(pid);
  if (at != open_.end()) return at->second;
  const auto own = own_.find(pid);
  const std::string name = own != own_.end() ? own->second : name_for(pid, path_);
  const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) print_note(name + ": " + std::strerror(errno) + "; races are printed here");
  return open_[pid] = fd;
}

void Logs::write(std::uint32_t pid, std::string_view text) {
  const bool has_own = own_.count(pid) != 0;
  if (path_.empty() && !has_own) {
    if (to_output_) {
      (void)write_all(STDOUT_FILENO, text);
    } else {
      print_to_error(text);
    }
    return;
  }
  const int fd = open_for(pid);
  if (fd < 0 || !write_all(fd, text)) print_to_error(text);
}

}  // namespace redflag::cli
