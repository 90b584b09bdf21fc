// A buffer belongs to whoever was sent a byte through a pipe.
#include <unistd.h>

#include "two.h"

int there[2], back[2];
char buffer[64];

static void body(int number) {
  char token = 0;
  for (int i = 0; i < 10; i++) {
    if (number == 0) {
      buffer[i] = (char)i;
      if (write(there[1], &token, 1) != 1 || read(back[0], &token, 1) != 1) __builtin_trap();
    } else {
      if (read(there[0], &token, 1) != 1) __builtin_trap();
      buffer[i]++;
      if (write(back[1], &token, 1) != 1) __builtin_trap();
    }
  }
}

int main(void) {
  if (pipe(there) != 0 || pipe(back) != 0) return 2;
  in_threads(2, body);
  return buffer[9] == 10 ? 0 : 1;
}
