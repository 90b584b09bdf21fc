// A directory's descriptor is closed inside libc; another thread gets the same number.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "order.h"

static long look(void) {
  const int fd = open("/", O_RDONLY | O_DIRECTORY);
  DIR* directory = fd < 0 ? NULL : fdopendir(fd);
  long count = 0;
  while (directory != NULL && readdir(directory) != NULL) count++;
  if (directory != NULL) closedir(directory);
  return count;
}

static void* first(void* unused) {
  const long count = look();
  order_reached(1);
  USE(count);
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  const long count = look();
  USE(count);
  return unused;
}

int main(void) {
  in_two_threads(first, second);
  return 0;
}
