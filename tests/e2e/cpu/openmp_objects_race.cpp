// Objects copied into tasks; one of them shares its buffer with the creator.
// FLAGS: -fopenmp
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <vector>

int main() {
  int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    auto shared = std::make_shared<std::vector<int>>(8, 1);
#pragma omp task firstprivate(shared) shared(sum)
    {
      sum = (*shared)[0];  // RACE
    }
    usleep(50000);
    (*shared)[0] = 2;  // RACE
  }
  std::printf("%d\n", sum);
  return 0;
}
