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

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/base/error.h"

namespace redflag::cli {

class Launch {
 public:
  // `environment`: additions and replacements, "NAME=value".
  static Result<Launch> start(const std::string& path, const std::vector<std::string>& words,
                              const std::vector<std::string>& environment);

  Launch(Launch&& other) noexcept;
  Launch& operator=(Launch&&) = delete;
  ~Launch();

  pid_t pid() const { return pid_; }
  int descriptor() const { return signals_; }  // readable: call on_ready()
  void on_ready();

  bool ended() const { return ended_; }
  // Someone wants this command to end; the program has been told.
  bool asked_to_end() const { return asked_to_end_; }

  // In a process that was forked from the one that started the program: it sees the end, but not how it was.
  void goes_on_in_fork();

  int status() const;  // as a shell says it: 128 and the signal's number
  int signal() const;  // that ended it; 0: none

 private:
  Launch() = default;
  void reap();

  pid_t pid_ = -1;
  int signals_ = -1;
  int handle_ = -1;  // of the program, where it is not this process's child
  int wait_status_ = 0;
  bool ended_ = false;
  bool asked_to_end_ = false;
};

}  // namespace redflag::cli
