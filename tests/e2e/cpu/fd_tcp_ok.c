// connect and accept, send and recv order client and server.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "order.h"

struct sockaddr_in address;
int listener, data;

static void* client(void* unused) {
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  data = 1;
  if (connect(connection, (struct sockaddr*)&address, sizeof address) != 0) return NULL;
  if (send(connection, "hello", 5, 0) != 5) return NULL;
  close(connection);
  return unused;
}

static void* server(void* unused) {
  int connection = accept(listener, NULL, NULL);
  char text[8];
  if (recv(connection, text, sizeof text, 0) <= 0) return NULL;
  USE(data);
  close(connection);
  return unused;
}

int main(void) {
  listener = socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr*)&address, size) != 0 || listen(listener, 1) != 0) return 1;
  getsockname(listener, (struct sockaddr*)&address, &size);
  in_two_threads(client, server);
  return 0;
}
