// A buffer given back after the thread that fills it has ended. The racy twin is free_race.cpp.
#include <cstdio>
#include <thread>

void fill(int* buffer) {
  for (int i = 0; i < 4; ++i) {
    buffer[i] = i;
  }
}

int main() {
  int* buffer = new int[4];
  std::thread worker(fill, buffer);
  worker.join();
  delete[] buffer;
  std::printf("done\n");
}
