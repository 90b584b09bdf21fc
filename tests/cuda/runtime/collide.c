/* Launches one kernel, and ends with what the launch gave: for fat binaries that are not what they should be. */
#include "program.h"

int main(void) {
  int *p;
  OK(cudaMalloc((void **)&p, 4));
  void *args[] = {&p};
  return launch(&collide, 1, 1, 0, args) == 0 ? 0 : 7;
}
