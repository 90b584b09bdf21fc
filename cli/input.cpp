#include "cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "cli/interrupt.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 18;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Failure cannot_keep(const std::string& name) {
  return fail(name + ": read twice, so it must be kept in a temporary file; " + temporary_folder() +
              " did not take it: " + std::strerror(errno) +
              "\nset TMPDIR to a folder with more room, or give a file in place of a pipe");
}

Result<void> copy(const std::string& name, int from, int to) {
  std::vector<char> buffer(kCopyBytes);
  for (;;) {
    if (interrupted()) return fail("interrupted");
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(name + ": cannot read: " + std::strerror(errno));
    if (got == 0) return {};
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::write(to, buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return cannot_keep(name);
      done += put;
    }
  }
}

}  // namespace

Result<Input> Input::open(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  const Descriptor from(path == "-" ? ::dup(STDIN_FILENO)
                                    : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.get() < 0) return fail(name + ": cannot read: " + std::strerror(errno));
  struct stat status{};
  if (::fstat(from.get(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return fail(name + ": cannot read: a directory, not a trace");
    if (S_ISREG(status.st_mode) && path != "-") return Input(name, path, -1);
  }
  std::string temporary = temporary_folder() + "/redflag-XXXXXX";
  Descriptor to(::mkostemp(temporary.data(), O_CLOEXEC));
  if (to.get() < 0) return cannot_keep(name);
  ::unlink(temporary.c_str());
  if (Result<void> done = copy(name, from.get(), to.get()); !done) return Failure(done.error());
  const std::string again = "/proc/self/fd/" + std::to_string(to.get());
  return Input(name, again, to.release());
}

Input::Input(Input&& other) noexcept
    : name_(std::move(other.name_)),
      path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)) {}

Input::~Input() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::unique_ptr<EventReader>> Input::read() const {
  Result<std::unique_ptr<EventReader>> reader = open_trace(path_);
  if (!reader) return fail(renamed(reader.error().message));
  return reader;
}

std::string Input::renamed(const std::string& message) const {
  if (fd_ < 0 || !message.starts_with(path_)) return message;
  return name_ + message.substr(path_.size());
}

}  // namespace redflag::cli
