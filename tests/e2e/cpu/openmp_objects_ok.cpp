// Objects with constructors and destructors as private variables of tasks and loops.
// FLAGS: -fopenmp
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  long total = 0;
  std::vector<long> mine(10, 0);
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    for (int i = 0; i < 100; ++i) {
      std::vector<int> values(20, i);
#pragma omp task firstprivate(values)
      {
        values.push_back(1);
        long sum = std::accumulate(values.begin(), values.end(), 0L);
#pragma omp atomic
        total += sum;
      }
    }
#pragma omp for firstprivate(mine)
    for (int i = 0; i < 40; ++i) mine[i % 10] += i;
#pragma omp single
    {
#pragma omp taskloop firstprivate(mine) num_tasks(8)
      for (int i = 0; i < 40; ++i) mine[i % 10] += i;
    }
  }
  std::printf("%ld\n", total);
  return total == 20L * 4950 + 100 ? 0 : 1;
}
