/* put_race.c, repaired: rank 0 reads behind the fence that ends the epoch. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, sum = 0, *window_memory;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window_memory, &window);
  *window_memory = 0;
  MPI_Win_fence(0, window);
  for (int i = 1; i <= 100; i++) sum += i;
  if (rank == 1) MPI_Put(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  if (rank == 0) printf("sum %d\n", *window_memory);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
