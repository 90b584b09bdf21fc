// One of a list of requests has ended; the buffer of another is used.
#include <aio.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static char buffers[2][32];
static struct aiocb requests[2];

int main(void) {
  FILE* file = tmpfile();
  if (file == NULL || fwrite(buffers, 1, sizeof buffers, file) != sizeof buffers || fflush(file))
    return 1;
  struct aiocb* list[2];
  for (int i = 0; i < 2; i++) {
    requests[i].aio_fildes = fileno(file);
    requests[i].aio_buf = buffers[i];
    requests[i].aio_nbytes = sizeof buffers[i];
    requests[i].aio_lio_opcode = LIO_READ;
    list[i] = &requests[i];
  }
  if (lio_listio(LIO_NOWAIT, list, 2, NULL)) return 2;  // RACE
  while (aio_error(&requests[0]) == EINPROGRESS) usleep(100);
  buffers[0][0]++;
  buffers[1][0] = 1;  // RACE
  while (aio_error(&requests[1]) == EINPROGRESS) usleep(100);
  return 0;
}
