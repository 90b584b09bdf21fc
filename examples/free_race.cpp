// A buffer given back before the thread that fills it was waited for. Repaired in free_ok.cpp.
#include <cstdio>
#include <thread>

void fill(int* buffer) {
  for (int i = 0; i < 4; ++i) {
    buffer[i] = i;  // RACE: first
  }
}

int main() {
  int* buffer = new int[4];
  std::thread worker(fill, buffer);
  delete[] buffer;  // RACE: second
  worker.join();
  std::printf("done\n");
}
