// Sample sort: threads draw splitters from a sample, drop their share of the records into one
// bucket per thread, and each sorts the bucket that is its own, gathered from all others'.
// Comparisons through references, moves of structs, vectors that grow.
#include <algorithm>
#include <vector>

#include "workload.h"

namespace {

struct Record {
  double key;
  uint32_t origin;
  uint32_t flags;
  bool operator<(const Record& other) const { return key < other.key; }
};

struct Sort {
  int threads = 0;
  std::vector<Record> records;
  std::vector<double> sample;                           // a fixed number from each share
  std::vector<std::vector<std::vector<Record>>> parts;  // [from][to]
  std::vector<size_t> sizes;                            // of the sorted buckets
  pthread_barrier_t barrier;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  size_t largest = 0;
};

constexpr int kSample = 512;

void work(int self, void* data) {
  Sort& sort = *static_cast<Sort*>(data);
  const long n = static_cast<long>(sort.records.size());
  const long begin = share_begin(n, self, sort.threads);
  const long end = share_begin(n, self + 1, sort.threads);
  uint64_t seed = 1000 + self;
  for (int i = 0; i < kSample; ++i) {
    sort.sample[self * kSample + i] = sort.records[begin + next_random(&seed) % (end - begin)].key;
  }
  pthread_barrier_wait(&sort.barrier);

  std::vector<double> sorted = sort.sample;
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> splitters;
  for (int t = 1; t < sort.threads; ++t) splitters.push_back(sorted[t * kSample]);
  auto& mine = sort.parts[self];
  mine.resize(sort.threads);
  for (long i = begin; i < end; ++i) {
    const Record& record = sort.records[i];
    const auto to = std::upper_bound(splitters.begin(), splitters.end(), record.key);
    mine[to - splitters.begin()].push_back(record);
  }
  pthread_barrier_wait(&sort.barrier);

  std::vector<Record> bucket;
  for (auto& from : sort.parts) {
    bucket.insert(bucket.end(), from[self].begin(), from[self].end());
    std::vector<Record>().swap(from[self]);
  }
  std::sort(bucket.begin(), bucket.end());
  sort.sizes[self] = bucket.size();
  pthread_barrier_wait(&sort.barrier);

  size_t at = 0;
  for (int t = 0; t < self; ++t) at += sort.sizes[t];
  std::copy(bucket.begin(), bucket.end(), sort.records.begin() + static_cast<long>(at));
  GUARDED(&sort.lock, sort.largest = std::max(sort.largest, bucket.size()));
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 2'500'000);
  Sort sort;
  sort.threads = arguments.threads;
  if (arguments.size < arguments.threads) {
    fprintf(stderr, "samplesort: SIZE must be at least THREADS\n");
    return 2;
  }
  sort.records.resize(arguments.size);
  uint64_t seed = 29;
  for (size_t i = 0; i < sort.records.size(); ++i) {
    sort.records[i] = {next_uniform(&seed), static_cast<uint32_t>(i), 0};
  }
  sort.sample.resize(static_cast<size_t>(sort.threads) * kSample);
  sort.parts.resize(sort.threads);
  sort.sizes.resize(sort.threads);
  pthread_barrier_init(&sort.barrier, nullptr, sort.threads);
  run_threads(sort.threads, work, &sort);
  double sum = static_cast<double>(sort.largest);
  for (size_t i = 0; i < sort.records.size(); ++i) {
    if (i && sort.records[i] < sort.records[i - 1]) {
      fprintf(stderr, "samplesort: not sorted at %zu\n", i);
      return 70;
    }
    sum += sort.records[i].origin * static_cast<double>(i & 255);
  }
  return finish(sum, __FILE__);
}
