// Tables are indexed by descriptor: an entry passes from who closes to who accepts, or opens, that number.
#include <arpa/inet.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "order.h"

struct entry {
  char name[64];
  int uses;
};
static struct entry connections[64], files[64];
static int listening;
static int by_first[2], by_second[2];  // the connection and the file of each
static struct sockaddr_in address;

static void use(struct entry* entry) {
  strcpy(entry->name, "somebody");
  entry->uses++;
}

static int serve(void) {
  const int fd = accept(listening, NULL, NULL);
  use(&connections[fd]);
  close(fd);
  return fd;
}

static int look(void) {
  const int fd = open("/dev/null", O_RDONLY);
  use(&files[fd]);
  close(fd);
  return fd;
}

static void* first(void* unused) {
  by_first[0] = serve();
  order_reached(1);
  order_await(2);
  by_first[1] = look();
  return unused;
}

static void* second(void* unused) {
  order_await(1);
  by_second[0] = serve();
  by_second[1] = look();
  order_reached(2);
  return unused;
}

int main(void) {
  socklen_t size = sizeof address;
  listening = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listening, (struct sockaddr*)&address, size) || listen(listening, 4)) return 1;
  if (getsockname(listening, (struct sockaddr*)&address, &size)) return 1;
  for (int i = 0; i < 2; i++) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr*)&address, size)) return 1;
  }
  in_two_threads(first, second);
  if (by_first[0] != by_second[0] || by_first[1] != by_second[1]) return 2;
  return connections[by_first[0]].uses == 2 && files[by_first[1]].uses == 2 ? 0 : 3;
}
