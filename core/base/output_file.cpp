#include "core/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace redflag {
namespace {

std::string reason(int error) {
  return std::strerror(error);
}

// The temporary files there are, for remove_unfinished_outputs(). A slot is taken by the thread
// that creates the file and emptied by the one that finishes it; the reader may come at any moment
// and ends the process.
std::array<std::atomic<char*>, OutputFile::kMaxOpen> unfinished{};

bool remember(const std::string& temporary) {
  char* copy = ::strdup(temporary.c_str());
  for (std::atomic<char*>& slot : unfinished) {
    char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, copy)) return true;
  }
  std::free(copy);
  return false;
}

void forget(const std::string& temporary) {
  for (std::atomic<char*>& slot : unfinished) {
    char* name = slot.load();
    if (name == nullptr || temporary != name) continue;
    slot.store(nullptr);
    std::free(name);
    return;
  }
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  if (path.empty()) return fail("an output file needs a name; found an empty one");
  if (path == "-") return OutputFile(path, "", ::dup(STDOUT_FILENO));
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return fail(path + ": cannot write: it is a directory; name a file");
    if (!S_ISREG(status.st_mode)) {
      const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (fd < 0) return fail(path + ": cannot write: " + reason(errno));
      return OutputFile(path, "", fd);
    }
    if (::access(path.c_str(), W_OK) != 0) return fail(path + ": cannot write: " + reason(errno));
  }
  std::string temporary = path + ".tmp.XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) {
    const int error = errno;
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    return fail(path + ": cannot write: " + reason(error) + " (needed: a folder '" + folder +
                "' that exists and is writable)");
  }
  if (!remember(temporary)) {
    ::close(fd);
    ::unlink(temporary.c_str());
    return fail(path + ": more than " + std::to_string(kMaxOpen) + " output files at once");
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);  // mkostemp makes it private; an output file is an ordinary file
  return OutputFile(path, std::move(temporary), fd);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    temporary_ = std::move(other.temporary_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::discard() noexcept {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    forget(temporary_);
  }
  fd_ = -1;
}

Result<void> OutputFile::write(const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = ::write(fd_, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail(path_ + ": write failed: " + reason(errno));
    at += done;
    size -= static_cast<std::size_t>(done);
  }
  return {};
}

Result<void> OutputFile::commit() {
  const int fd = std::exchange(fd_, -1);
  if (temporary_.empty()) {
    if (::close(fd) != 0) return fail(path_ + ": close failed: " + reason(errno));
    return {};
  }
  forget(temporary_);
  const bool flushed = ::fsync(fd) == 0;
  const int flush_error = errno;
  const bool closed = ::close(fd) == 0;
  if (!flushed || !closed || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = flushed ? errno : flush_error;
    ::unlink(temporary_.c_str());
    return fail(path_ + ": could not be finished: " + reason(error));
  }
  return {};
}

void remove_unfinished_outputs() noexcept {
  for (const std::atomic<char*>& slot : unfinished) {
    if (const char* name = slot.load(); name != nullptr) ::unlink(name);
  }
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const int fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(path + ": cannot read: " + reason(errno));
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      ::close(fd);
      return fail(path + ": cannot read: " + reason(error));
    }
    if (got == 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > limit) {
      ::close(fd);
      return fail(path + ": larger than the " + std::to_string(limit) + " bytes allowed here");
    }
  }
  ::close(fd);
  return text;
}

}  // namespace redflag
