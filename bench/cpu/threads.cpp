// Threads that come and go: ROUNDS times, THREADS threads are started, each does a little locked and
// a little unlocked work, and all are joined. What a runtime keeps of an ended thread shows as
// growth: after the fifth and the last round the resident memory is printed, in bytes.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
long total = 0;
constexpr int kOwn = 64;

void* work(void* argument) {
  long* own = static_cast<long*>(argument);
  std::vector<long> block(256);
  for (size_t i = 0; i < block.size(); ++i) block[i] = own[i % kOwn] + static_cast<long>(i);
  for (int i = 0; i < kOwn; ++i) own[i] = block[i];
  pthread_mutex_lock(&lock);
  total += block[1];
  pthread_mutex_unlock(&lock);
  return nullptr;
}

long resident() {
  long size = 0, pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &size, &pages) != 2) std::exit(70);
  std::fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 100;
  std::vector<long> own(static_cast<size_t>(threads) * kOwn);
  std::vector<pthread_t> ids(threads);
  long after_five = 0;
  for (int round = 1; round <= rounds; ++round) {
    for (int i = 0; i < threads; ++i) {
      if (pthread_create(&ids[i], nullptr, work, &own[static_cast<size_t>(i) * kOwn]) != 0) {
        std::fprintf(stderr, "threads: thread %d of round %d could not be started\n", i, round);
        return 70;
      }
    }
    for (pthread_t id : ids) pthread_join(id, nullptr);
    if (round == 5) after_five = resident();
  }
  std::printf("resident %ld %ld\n", after_five, resident());
  std::printf("checksum %ld\n", total);
  return 0;
}
