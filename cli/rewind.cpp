#include "cli/rewind.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace redflag::cli {
namespace {

// All that `from` still gives, in a file without a name; -1 with errno.
int spool(int from) {
  const int kept = ::memfd_create("standard input", MFD_CLOEXEC);
  if (kept < 0) return -1;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got == 0) return kept;
    if (got < 0 && errno == EINTR) continue;
    ssize_t put = 0;
    while (got > 0 && put < got) {
      const ssize_t now = ::write(kept, buffer.data() + put, static_cast<std::size_t>(got - put));
      if (now < 0) break;
      put += now;
    }
    if (got > 0 && put == got) continue;
    const int fault = errno;
    ::close(kept);
    errno = fault;
    return -1;
  }
}

}  // namespace

Result<Rewind> Rewind::prepare(int from) {
  Rewind out;
  struct stat about{};
  if (::fstat(from, &about) != 0 || ::isatty(from) != 0 || S_ISCHR(about.st_mode)) return out;
  if (S_ISREG(about.st_mode)) {
    out.begin_ = ::lseek(from, 0, SEEK_CUR);
    if (out.begin_ >= 0) out.descriptor_ = from;
    return out;
  }
  const int kept = spool(from);
  if (kept < 0 || ::dup2(kept, from) < 0) {
    return fail("cannot keep standard input for several schedules: " +
                std::string(std::strerror(errno)) + "; give it as a file: < FILE");
  }
  ::close(kept);
  out.descriptor_ = from;
  return out;
}

void Rewind::again() const {
  if (descriptor_ >= 0) ::lseek(descriptor_, begin_, SEEK_SET);
}

}  // namespace redflag::cli
