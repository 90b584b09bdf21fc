// Launch::start_apart: two processes, of which the job's launcher knows one.
//
// The one that it started stays with the program, as its parent and in its process group, so that whatever the launcher
// does to the group reaches the program as it would without us. It passes signals on and tells the other, by a
// pipe, what happened. The other one, forked before the program was started, has the sockets and files, and is in
// a session of its own. When the pipe ends without a last word, the first was killed; the program is watched by a
// handle then, for as long as it lasts.
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "cli/launch.h"

namespace redflag::cli {
namespace {

enum class Told : std::uint32_t {
  kStarted,     // with its pid
  kNotStarted,  // with the length of the reason, which follows
  kAsked,       // to end
  kEnded,       // with what wait() says
};
struct News {
  Told what = Told::kStarted;
  int value = 0;
};
static_assert(sizeof(News) == 8);

// Less than a pipe takes at once: it is all there, or nothing.
void tell(int pipe, Told what, int value) {
  const News news{what, value};
  (void)!::write(pipe, &news, sizeof(news));
}

bool hear(int pipe, News& news) {
  return ::read(pipe, &news, sizeof(news)) == sizeof(news);
}

// Sockets and files belong to the other process; this one would keep them open for nobody.
void close_own_files(int but) {
  std::vector<int> open;
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", fault)) {
    open.push_back(std::atoi(entry.path().filename().c_str()));
  }
  for (const int fd : open) {
    const int flags = fd > STDERR_FILENO && fd != but ? ::fcntl(fd, F_GETFD) : -1;
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) ::close(fd);
  }
}

// Until the program and the other process have ended.
[[noreturn]] void stay_with(Result<Launch> launch, int pipe, pid_t other) {
  int status = 0;
  if (!launch) {
    const std::string& why = launch.error().message;
    tell(pipe, Told::kNotStarted, static_cast<int>(why.size()));
    (void)!::write(pipe, why.data(), why.size());
    (void)::waitpid(other, &status, 0);
  } else {
    tell(pipe, Told::kStarted, launch->pid());
    bool has_asked = false;
    bool has_ended = false;
    bool is_other_gone = false;
    while (!launch->ended() || !is_other_gone) {
      pollfd ready{launch->descriptor(), POLLIN, 0};
      (void)::poll(&ready, 1, -1);
      launch->on_ready();
      if (launch->asked_to_end() && !has_asked) tell(pipe, Told::kAsked, 0);
      has_asked = launch->asked_to_end();
      if (launch->ended() && !has_ended) tell(pipe, Told::kEnded, launch->wait_status());
      has_ended = launch->ended();
      is_other_gone = is_other_gone || ::waitpid(other, &status, WNOHANG) == other;
    }
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

}  // namespace

Result<Launch> Launch::start_apart(const std::string& path, const std::vector<std::string>& words,
                                   const std::vector<std::string>& environment) {
  std::array<int, 2> pipe{-1, -1};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return start(path, words, environment);
  // Nobody else's business: what this process is asked, the other one is told.
  const sigset_t set = watched();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &set, &before);
  const pid_t other = ::fork();
  if (other != 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(pipe[0]);
    if (other < 0) {
      ::close(pipe[1]);
      return start(path, words, environment);
    }
    close_own_files(pipe[1]);
    stay_with(start(path, words, environment), pipe[1], other);
  }
  ::setsid();
  (void)std::signal(SIGPIPE, SIG_IGN);
  ::close(pipe[1]);
  Launch launch;
  launch.news_ = pipe[0];
  launch.is_apart_ = true;
  News news;
  if (!cli::hear(launch.news_, news)) {
    return fail(path + ": cannot start it: the job was ended before");
  }
  if (news.what != Told::kStarted) {
    std::string why(static_cast<std::size_t>(news.value), '\0');
    (void)!::read(launch.news_, why.data(), why.size());
    return fail(why);
  }
  launch.pid_ = news.value;
  launch.handle_ = static_cast<int>(::syscall(SYS_pidfd_open, launch.pid_, 0));
  ::fcntl(launch.news_, F_SETFL, O_NONBLOCK);
  return launch;
}

void Launch::hear() {
  News news;
  errno = 0;
  while (news_ >= 0 && cli::hear(news_, news)) {
    asked_to_end_ |= news.what == Told::kAsked;
    if (news.what == Told::kEnded) {
      ended_ = true;
      wait_status_ = news.value;
    }
  }
  if (news_ >= 0 && errno != EAGAIN) {  // its end
    ::close(news_);
    news_ = -1;
    asked_to_end_ = true;
    if (!ended_) wait_status_ = SIGKILL;
  }
  if (news_ >= 0 || ended_) return;
  pollfd its_end{handle_, POLLIN, 0};
  ended_ = handle_ < 0 || ::poll(&its_end, 1, 0) == 1;
}

}  // namespace redflag::cli
