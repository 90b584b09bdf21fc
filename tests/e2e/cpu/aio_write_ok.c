// A buffer that is written from may be read meanwhile, and changed after the end of the request was seen.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

static char buffer[64];

int main(void) {
  FILE* file = tmpfile();
  if (file == NULL) return 1;
  for (int i = 0; i < 10; i++) {
    struct aiocb request = {0};
    request.aio_fildes = fileno(file);
    request.aio_buf = buffer;
    request.aio_nbytes = sizeof buffer;
    buffer[7]++;
    if (aio_write(&request)) return 2;
    const char same = buffer[7];
    USE(same);
    while (aio_error(&request) == EINPROGRESS) usleep(100);
    buffer[8]++;
    if (aio_return(&request) != sizeof buffer) return 3;
    struct aiocb sync = {0};
    sync.aio_fildes = fileno(file);
    if (aio_fsync(O_SYNC, &sync)) return 4;
    const struct aiocb* all[] = {&sync};
    while (aio_suspend(all, 1, NULL)) {
    }
  }
  return 0;
}
