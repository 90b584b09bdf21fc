// redflag attend: the reporter of one process that runs without `redflag run`.
//
// libredflag starts it at the first race of its process, with one end of a socket pair and the
// program's standard error. It must outlive the program: signals meant for the program's group do
// not end it, it goes when the connection closes.
#include <fcntl.h>

#include <csignal>
#include <filesystem>

#include "cli/console.h"
#include "cli/live.h"
#include "cli/run.h"

namespace redflag::cli {
namespace {

std::string program_of(std::uint32_t pid) {
  std::error_code fault;
  const std::filesystem::path path =
      std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", fault);
  return fault ? "process " + std::to_string(pid) : path.string();
}

}  // namespace

Status run_attend(const Arguments& arguments) {
  if (!arguments.is_set("fd")) {
    return bad_input(
        "needed: --fd=N, the connection to a checked process\nfound: none; this command is started "
        "by libredflag\nto check a program: redflag run -- PROGRAM");
  }
  // SIGTTOU: in a process group of its own it still writes to the terminal.
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGTTOU}) {
    (void)std::signal(signal, SIG_IGN);
  }
  Result<std::unique_ptr<Live>> live = Live::prepare(arguments);
  if (!live) return bad_input(live.error().message);
  collect::Server& server = (*live)->server();
  const auto fd = static_cast<int>(arguments.number("fd"));
  // The program waits until its connection is gone: kept until the files are written.
  (void)::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  const Result<std::uint32_t> pid = server.adopt(fd);
  if (!pid) return bad_input(pid.error().message);
  const std::string program = program_of(*pid);
  while (server.connections() > 0) server.serve(-1, -1);
  return (*live)->finish(program);
}

}  // namespace redflag::cli
