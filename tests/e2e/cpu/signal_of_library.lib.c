// A library that cleans up when the program is asked to end, as MPI does: not async-signal-safe, and not the program's business.
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t asked;
static void* volatile state;

static void clean_up(int number) {
  free(state);
  state = malloc(100);
  asked = number;
}

void library_begin(void) {
  struct sigaction action = {0};
  action.sa_handler = clean_up;
  sigaction(SIGTERM, &action, NULL);
}

int library_asked(void) {
  return asked == SIGTERM;
}
