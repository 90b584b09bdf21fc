#include "frontends/pgas/exchange/near_window.h"

#include <cstring>

namespace redflag::pgas::mpi {

void* make_window(MPI_Comm comm, std::size_t size, MPI_Win* win) {
  void* base = nullptr;
  MPI_Comm near = MPI_COMM_NULL;
  PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  int near_size = 0;
  int all_size = 0;
  PMPI_Comm_size(near, &near_size);
  PMPI_Comm_size(comm, &all_size);
  int is_one = near_size == all_size ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &is_one, 1, MPI_INT, MPI_MIN, comm);
  PMPI_Comm_free(&near);
  if (is_one != 0) {
    PMPI_Win_allocate_shared(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, comm,
                             static_cast<void*>(&base), win);
  } else {
    PMPI_Win_allocate(static_cast<MPI_Aint>(size), 1, MPI_INFO_NULL, comm,
                      static_cast<void*>(&base), win);
  }
  std::memset(base, 0, size);
  PMPI_Barrier(comm);
  return base;
}

}  // namespace redflag::pgas::mpi
