// A structure travels between two threads as a pointer through a socket pair.
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "two.h"

int ends[2];

static void body(int number) {
  long* parcel = NULL;
  if (number == 0) {
    parcel = malloc(sizeof(long));
    *parcel = 0;
    if (write(ends[0], &parcel, sizeof(parcel)) != sizeof(parcel)) __builtin_trap();
  }
  for (int i = 0; i < 10; i++) {
    if (read(ends[number], &parcel, sizeof(parcel)) != sizeof(parcel)) __builtin_trap();
    *parcel += 1;
    if (number == 0 && i == 9) break;
    if (write(ends[number], &parcel, sizeof(parcel)) != sizeof(parcel)) __builtin_trap();
  }
  if (number == 0) free(parcel);
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
  in_threads(2, body);
  return 0;
}
