#include "cli/launch.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "cli/memory_limit.h"

namespace redflag::cli {
namespace {

struct Passed {
  int signal;
  bool asks_to_end;
};
constexpr std::array<Passed, 6> kPassed{{{SIGHUP, true},
                                         {SIGINT, true},
                                         {SIGQUIT, true},
                                         {SIGTERM, true},
                                         {SIGUSR1, false},
                                         {SIGUSR2, false}}};

std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> merged;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view line(*at);
    const std::string_view name = line.substr(0, line.find('=') + 1);
    bool replaced = false;
    for (const std::string& change : changes) replaced |= change.starts_with(name);
    if (!replaced) merged.emplace_back(line);
  }
  merged.insert(merged.end(), changes.begin(), changes.end());
  return merged;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> made;
  made.reserve(words.size() + 1);
  for (const std::string& word : words) made.push_back(const_cast<char*>(word.c_str()));
  made.push_back(nullptr);
  return made;
}

}  // namespace

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const Passed& row : kPassed) sigaddset(&set, row.signal);
  return set;
}

Result<Launch> Launch::start(const std::string& path, const std::vector<std::string>& words,
                             const std::vector<std::string>& environment) {
  Launch launch;
  const sigset_t set = watched();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &set, &before);
  launch.signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  // Closed by a successful exec; otherwise it brings the reason.
  std::array<int, 2> news{-1, -1};
  if (launch.signals_ < 0 || ::pipe2(news.data(), O_CLOEXEC) != 0) {
    return fail(path + ": cannot start it: " + std::strerror(errno));
  }
  const std::vector<std::string> merged = merged_environment(environment);
  const std::vector<char*> envp = pointers(merged);
  const std::vector<char*> argv = pointers(words);
  launch.pid_ = ::fork();
  if (launch.pid_ == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    lift_memory_limit();
    ::execve(path.c_str(), argv.data(), envp.data());
    const int fault = errno;
    (void)!::write(news[1], &fault, sizeof(fault));
    ::_exit(127);
  }
  const int fork_fault = errno;
  // Whoever reads our messages may go away; the files are written all the same.
  (void)std::signal(SIGPIPE, SIG_IGN);
  ::close(news[1]);
  int fault = 0;
  const bool failed = ::read(news[0], &fault, sizeof(fault)) == sizeof(fault);
  ::close(news[0]);
  if (launch.pid_ < 0) return fail(path + ": cannot start it: " + std::strerror(fork_fault));
  if (failed) {
    (void)::waitpid(launch.pid_, nullptr, 0);
    const std::string hint = fault == ENOEXEC
                                 ? "\nif it is a script, begin it with #! and its interpreter, or "
                                   "run: redflag run -- sh " +
                                       path
                                 : std::string();
    return fail(path + ": cannot start it: " + std::strerror(fault) + hint);
  }
  return launch;
}

Launch::Launch(Launch&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      signals_(std::exchange(other.signals_, -1)),
      is_apart_(other.is_apart_),
      news_(std::exchange(other.news_, -1)),
      handle_(std::exchange(other.handle_, -1)),
      wait_status_(other.wait_status_),
      ended_(other.ended_),
      asked_to_end_(other.asked_to_end_) {}

Launch::~Launch() {
  if (signals_ >= 0) ::close(signals_);
  if (news_ >= 0) ::close(news_);
  if (handle_ >= 0) ::close(handle_);
}

void Launch::on_ready() {
  if (is_apart_) return hear();
  signalfd_siginfo news{};
  while (::read(signals_, &news, sizeof(news)) == sizeof(news)) {
    const auto number = static_cast<int>(news.ssi_signo);
    for (const Passed& row : kPassed) {
      if (row.signal != number) continue;
      asked_to_end_ |= row.asks_to_end;
      // The terminal's signals reached the program by themselves.
      if (!ended_ && news.ssi_code != SI_KERNEL) ::kill(pid_, number);
    }
  }
  reap();
}

void Launch::reap() {
  if (ended_ || pid_ < 0) return;
  ended_ = ::waitpid(pid_, &wait_status_, WNOHANG) == pid_;
}

int Launch::status() const {
  return WIFSIGNALED(wait_status_) ? 128 + WTERMSIG(wait_status_) : WEXITSTATUS(wait_status_);
}

int Launch::signal() const {
  return WIFSIGNALED(wait_status_) ? WTERMSIG(wait_status_) : 0;
}

}  // namespace redflag::cli
