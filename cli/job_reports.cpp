#include "cli/job_reports.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "cli/interrupt.h"
#include "cli/ranks.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of one report

struct Address {
  sockaddr_un value{};
  socklen_t size = 0;
};

// In the abstract namespace: the first byte is 0, and nothing is left behind.
Address address_of(const std::string& name) {
  Address made;
  made.value.sun_family = AF_UNIX;
  std::memcpy(made.value.sun_path + 1, name.data(), name.size());
  made.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return made;
}

int variable(std::initializer_list<const char*> names, int fallback) {
  for (const char* name : names) {
    if (const char* text = std::getenv(name); text != nullptr && *text != '\0') {
      return std::atoi(text);
    }
  }
  return fallback;
}

std::string read_of(pid_t process, const char* what) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + what, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of "1234 (name) S 1200 ...", 1200; 0: not known.
pid_t parent_of(pid_t process) {
  const std::string status = read_of(process, "stat");
  const std::size_t name_ends = status.rfind(')');
  if (name_ends == std::string::npos || name_ends + 4 >= status.size()) return 0;
  return std::atoi(status.c_str() + name_ends + 4);
}

// The process that started the rank, perhaps by way of a shell: the nearest that has no rank itself.
pid_t launcher() {
  pid_t process = ::getppid();
  for (int steps = 0; steps < 16 && process > 1; ++steps) {
    const std::string variables = '\0' + read_of(process, "environ");
    if (variables.find(std::string("\0PMI_RANK=", 10)) == std::string::npos) return process;
    process = parent_of(process);
  }
  return ::getppid();
}

bool is_of_this_user(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::getuid();
}

std::string read_all(int fd) {
  std::string bytes;
  std::string part(std::size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t n = ::read(fd, part.data(), part.size());
    if (n <= 0 || bytes.size() > kMostBytes) return bytes;
    bytes.append(part, 0, static_cast<std::size_t>(n));
  }
}

}  // namespace

JobReports JobReports::join() {
  JobReports made;
  if (launched_ranks() <= 1) return made;
  made.rank_ = launched_rank();
  made.ranks_ = launched_ranks();
  made.expected_ = variable({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}, made.ranks_) - 1;
  // The launcher's own process, or what it calls the job.
  const char* const job = std::getenv("PMIX_NAMESPACE");
  made.name_ = "redflag-job-" + std::to_string(::getuid()) + "-" +
               (job != nullptr ? std::string(job).substr(0, 40) : std::to_string(launcher()));
  if (made.rank_ != 0) return made;
  const Address address = address_of(made.name_);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address.value), address.size) == 0 &&
      ::listen(fd, made.ranks_) == 0) {
    made.listening_ = fd;
  } else if (fd >= 0) {
    ::close(fd);
  }
  return made;
}

JobReports::JobReports(JobReports&& other) noexcept
    : rank_(other.rank_),
      ranks_(other.ranks_),
      expected_(other.expected_),
      listening_(std::exchange(other.listening_, -1)),
      name_(std::move(other.name_)) {}

JobReports::~JobReports() {
  if (listening_ >= 0) ::close(listening_);
}

bool JobReports::send(const std::string& report) const {
  const Address address = address_of(name_);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  bool sent = ::connect(fd, reinterpret_cast<const sockaddr*>(&address.value), address.size) == 0 &&
              is_of_this_user(fd);
  for (std::size_t at = 0; sent && at < report.size();) {
    const ssize_t n = ::send(fd, report.data() + at, report.size() - at, MSG_NOSIGNAL);
    sent = n > 0;
    at += sent ? static_cast<std::size_t>(n) : 0;
  }
  ::close(fd);
  return sent;
}

std::vector<std::string> JobReports::receive(std::chrono::milliseconds patience) {
  std::vector<std::string> all;
  while (listening_ >= 0 && std::ssize(all) < expected_ && !interrupted()) {
    pollfd ready{listening_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(patience.count())) <= 0) break;
    const int fd = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) break;
    if (is_of_this_user(fd)) all.push_back(read_all(fd));
    ::close(fd);
  }
  return all;
}

}  // namespace redflag::cli
