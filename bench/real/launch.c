// Runs a program and writes down what it used: launch FILE PROGRAM WORDS...
//
// The kernel counts as a process's peak memory also what the process that started it held, until it
// became the program. Python holds more than some of the programs. This one holds nearly nothing.
// Signals that are sent to it go to the program; FILE gets user and system time in microseconds,
// peak kilobytes, and the wait status.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t program;

static void pass_on(int number) {
  kill(program, number);
}

int main(int count, char** words) {
  if (count < 3) {
    fprintf(stderr, "usage: launch FILE PROGRAM WORDS...\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // who waits for us is gone: the program goes with us
  program = fork();
  if (program < 0) {
    perror("launch: fork");
    return 2;
  }
  if (program == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // it does not outlive us
    execvp(words[2], words + 2);
    perror(words[2]);
    _exit(127);
  }
  signal(SIGTERM, pass_on);
  signal(SIGINT, pass_on);
  int status = 0;
  struct rusage used;
  while (wait4(program, &status, 0, &used) != program) {
  }
  FILE* file = fopen(words[1], "w");
  if (file == NULL) {
    perror(words[1]);
    return 2;
  }
  fprintf(file, "%ld %ld %d\n",
          (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec +
              used.ru_stime.tv_usec,
          used.ru_maxrss, status);
  return fclose(file) == 0 ? 0 : 2;
}
