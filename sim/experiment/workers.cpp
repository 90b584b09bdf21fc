#include "sim/experiment/workers.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>

namespace redflag::sim {
namespace {

// Shared by all processes. Workers write, the first process reads; a result's own file is the truth.
struct Board {
  std::atomic<std::size_t> next{0};  // of the jobs that are left
};
static_assert(std::atomic<std::size_t>::is_always_lock_free);

// What a worker says of a job that failed, through a pipe: number, then the words, then 0.
void say(int pipe, std::size_t job, const std::string& fault) {
  std::string line = std::to_string(job) + ' ' + fault.substr(0, 2000);
  line += '\0';
  // Up to PIPE_BUF is written at once, so that lines of several workers do not mix.
  (void)!::write(pipe, line.data(), line.size());
}

[[noreturn]] void work(const std::vector<Job>& jobs, const std::vector<std::size_t>& left,
                       const Simulate& simulate, const Store& store, Board& board, int pipe) {
  for (;;) {
    const std::size_t k = board.next.fetch_add(1);
    if (k >= left.size()) break;
    const Job& job = jobs[left[k]];
    const Result<Metrics> metrics = simulate(job);
    std::string fault = metrics ? "" : metrics.error().message;
    if (metrics) {
      if (const Result<void> kept = store.keep(job, *metrics); !kept) fault = kept.error().message;
    }
    say(pipe, left[k], fault);
  }
  ::_exit(0);  // what the first process has open is not ours to flush
}

}  // namespace

Done run_jobs(const std::vector<Job>& jobs, const Simulate& simulate, const Store& store,
              unsigned workers, const std::function<void(std::size_t, std::size_t)>& told,
              const std::function<bool()>& stop) {
  Done done;
  done.results.resize(jobs.size());
  std::vector<std::size_t> left;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (std::optional<Metrics> known = store.find(jobs[j])) {
      done.results[j] = std::move(*known);
      ++done.found;
    } else {
      left.push_back(j);
    }
  }
  std::size_t finished = done.found;
  told(finished, jobs.size());
  if (left.empty()) return done;

  int pipes[2];
  void* const page =
      ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED || ::pipe(pipes) != 0) {
    done.faults.emplace_back("no memory or no files left for worker processes");
    return done;
  }
  Board* const board = new (page) Board;
  std::vector<pid_t> children;
  workers = static_cast<unsigned>(std::clamp<std::size_t>(workers, 1, left.size()));
  for (unsigned w = 0; w < workers; ++w) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would want the results
      ::close(pipes[0]);
      work(jobs, left, simulate, store, *board, pipes[1]);
    }
    if (child > 0) children.push_back(child);
  }
  ::close(pipes[1]);

  std::vector<bool> heard(jobs.size());
  std::string words;
  char bytes[4096];
  for (;;) {
    const ssize_t n = ::read(pipes[0], bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) {
      if (stop()) {
        for (const pid_t child : children) ::kill(child, SIGKILL);
      }
      continue;
    }
    if (n <= 0) break;  // all workers have ended
    words.append(bytes, static_cast<std::size_t>(n));
    for (std::size_t end = words.find('\0'); end != std::string::npos; end = words.find('\0')) {
      const std::size_t job = std::stoul(words);
      const std::string fault = words.substr(words.find(' ') + 1, end - words.find(' ') - 1);
      words.erase(0, end + 1);
      heard[job] = true;
      if (!fault.empty()) done.faults.push_back(jobs[job].workload + ": " + fault);
      told(++finished, jobs.size());
    }
  }
  ::close(pipes[0]);
  for (const pid_t child : children) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::munmap(page, sizeof(Board));
  for (const std::size_t j : left) {
    if (std::optional<Metrics> known = store.find(jobs[j])) {
      done.results[j] = std::move(*known);
    } else if (!heard[j]) {
      done.faults.push_back(jobs[j].workload +
                            ": the process that simulated it ended before it was done");
    }
  }
  return done;
}

}  // namespace redflag::sim
