// Waiting for processes: what a child did until its end happens before what follows.
//
// Where threads of one process wait for its child this orders nothing that is not known already; it
// matters for memory that the two processes share (rt/between.h). A child that was only stopped, or
// that the call leaves to be waited for again, has not ended for the caller.
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

#include "frontends/cpu/interpose/intercept.h"

namespace redflag::interpose {
namespace {

void fill(const rt::LibraryCall& call, void* p, std::size_t n) {
  if (call && p != nullptr) rt::write(*call.thread, p, n);
}

pid_t waited(const rt::LibraryCall& call, pid_t pid, int status, int* wanted) {
  if (pid <= 0) return pid;
  if (wanted != nullptr) *wanted = status;
  fill(call, wanted, sizeof *wanted);
  if (call && (WIFEXITED(status) || WIFSIGNALED(status))) rt::process_waited(*call.thread, pid);
  return pid;
}

}  // namespace

REDFLAG_INTERCEPT(pid_t, wait, int* status) {
  REDFLAG_CALL(wait);
  int own = 0;
  return waited(call, REDFLAG_REAL(wait)(&own), own, status);
}

REDFLAG_INTERCEPT(pid_t, waitpid, pid_t pid, int* status, int options) {
  REDFLAG_CALL(waitpid);
  int own = 0;
  const pid_t result = REDFLAG_REAL(waitpid)(pid, &own, options);
  return waited(call, result, own, status);
}

REDFLAG_INTERCEPT(pid_t, wait3, int* status, int options, rusage* usage) {
  REDFLAG_CALL(wait3);
  int own = 0;
  const pid_t result = waited(call, REDFLAG_REAL(wait3)(&own, options, usage), own, status);
  if (result > 0) fill(call, usage, sizeof *usage);
  return result;
}

REDFLAG_INTERCEPT(pid_t, wait4, pid_t pid, int* status, int options, rusage* usage) {
  REDFLAG_CALL(wait4);
  int own = 0;
  const pid_t result = waited(call, REDFLAG_REAL(wait4)(pid, &own, options, usage), own, status);
  if (result > 0) fill(call, usage, sizeof *usage);
  return result;
}

REDFLAG_INTERCEPT(int, waitid, int kind, id_t id, siginfo_t* info, int options) {
  REDFLAG_CALL(waitid);
  siginfo_t own{};
  siginfo_t* const about = info != nullptr ? info : &own;
  const int result = REDFLAG_REAL(waitid)(static_cast<idtype_t>(kind), id, about, options);
  if (result != 0 || about->si_pid == 0) return result;
  fill(call, info, sizeof *info);
  const bool ended =
      about->si_code == CLD_EXITED || about->si_code == CLD_KILLED || about->si_code == CLD_DUMPED;
  if (call && ended) rt::process_waited(*call.thread, about->si_pid);
  return result;
}

// These wait inside libc, for a shell whose children may be checked programs.
REDFLAG_INTERCEPT(int, system, const char* command) {
  REDFLAG_CALL(system);
  const int result = REDFLAG_REAL(system)(command);
  if (call && command != nullptr) rt::process_waited(*call.thread, 0);
  return result;
}

REDFLAG_INTERCEPT(int, pclose, FILE* stream) {
  REDFLAG_CALL(pclose);
  const int result = REDFLAG_REAL(pclose)(stream);
  if (call) rt::process_waited(*call.thread, 0);
  return result;
}

}  // namespace redflag::interpose
