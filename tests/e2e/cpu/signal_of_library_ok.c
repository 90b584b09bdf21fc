// A handler of a library that is not instrumented allocates memory: the library knows why, and nothing is reported.
// LINK: library
// LIBRARY: plain
#include <signal.h>

#include "order.h"

void library_begin(void);
int library_asked(void);

int main(void) {
  library_begin();
  raise(SIGTERM);
  return library_asked() ? 0 : 1;
}
