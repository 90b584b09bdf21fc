// A program started under us: the same terminal, process group and standard streams, and its end.
//
// Signals: from the terminal (Ctrl-C, Ctrl-\) the kernel sends them to the whole group, the program
// included, so we only stay alive to report; what is sent to this process alone (kill, a service
// manager) is passed on to the program. Either way it is the program that decides to end, and we
// wait for it. Signals arrive by a descriptor that the caller polls together with its sockets.
//
//   Result<Launch> launch = Launch::start(path, words, environment);
//   while (!launch->ended()) { wait for launch->descriptor(); launch->on_ready(); }
//
// One at a time. The memory limit of this process is not the program's.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX's, not C's
#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

// Signals that a launch takes note of.
sigset_t watched();

class Launch {
 public:
  // `environment`: additions and replacements, "NAME=value".
  static Result<Launch> start(const std::string& path, const std::vector<std::string>& words,
                              const std::vector<std::string>& environment);
  // For a rank of a job: as start(), but the caller goes on in another process than the one that the job's launcher
  // started (launch_apart.cpp). Launchers that end a job kill what they know of, after a second or at once; what
  // was found until then is reported all the same. The process that they know ends when the other one has, as it did.
  static Result<Launch> start_apart(const std::string& path, const std::vector<std::string>& words,
                                    const std::vector<std::string>& environment);

  Launch(Launch&& other) noexcept;
  Launch& operator=(Launch&&) = delete;
  ~Launch();

  pid_t pid() const { return pid_; }
  // Readable: call on_ready().
  int descriptor() const { return !is_apart_ ? signals_ : news_ >= 0 ? news_ : handle_; }
  void on_ready();

  bool ended() const { return ended_; }
  // Someone wants this command to end; the program has been told.
  bool asked_to_end() const { return asked_to_end_; }

  int status() const;  // as a shell says it: 128 and the signal's number
  int signal() const;  // that ended it; 0: none
  int wait_status() const { return wait_status_; }

 private:
  Launch() = default;
  void reap();
  void hear();

  pid_t pid_ = -1;
  int signals_ = -1;
  bool is_apart_ = false;
  int news_ = -1;  // from the process that has the program, if that is not this one; -1: it is gone
  int handle_ = -1;  // of the program then
  int wait_status_ = 0;
  bool ended_ = false;
  bool asked_to_end_ = false;
};

}  // namespace redflag::cli
