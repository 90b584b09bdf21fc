#include "cli/child.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "cli/memory_limit.h"

namespace redflag::cli {

namespace {

std::vector<char*> to_argv(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

// While it lives, signals from the terminal do not end this process.
class TerminalSignalsIgnored {
 public:
  TerminalSignalsIgnored()
      : interrupt_(::signal(SIGINT, SIG_IGN)), quit_(::signal(SIGQUIT, SIG_IGN)) {}
  ~TerminalSignalsIgnored() { restore(); }
  TerminalSignalsIgnored(const TerminalSignalsIgnored&) = delete;
  TerminalSignalsIgnored& operator=(const TerminalSignalsIgnored&) = delete;
  void restore() const {
    ::signal(SIGINT, interrupt_);
    ::signal(SIGQUIT, quit_);
  }

 private:
  sighandler_t interrupt_, quit_;
};

}  // namespace

Result<std::string> run_child(const std::vector<std::string>& words) {
  std::vector<char*> argv = to_argv(words);
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(words.front() + ": cannot start it: " + std::strerror(errno));
  }
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
    lift_memory_limit();
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string output;
  std::array<char, 4096> piece;
  while (pid > 0) {
    const ssize_t n = ::read(ends[0], piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    output.append(piece.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = -1;
  while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return output;
  const bool absent = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127;
  return fail(words.front() + (absent ? ": cannot be started" : ": failed"));
}

int run_step(const std::vector<std::string>& words) {
  std::vector<char*> argv = to_argv(words);
  const TerminalSignalsIgnored ignored;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ignored.restore();
    lift_memory_limit();
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = -1;
  while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (pid < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace redflag::cli
