// Windows of our own, for what ranks leave for each other to read.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace redflag::pgas::mpi {

// Where all ranks are on one machine, memory that they share: with Open MPI a lock of it needs nobody's help. Of
// other windows, and MPICH of any, libraries serve a lock only when its rank calls them, which may be long.
// Collective; the own part, zeroed.
void* make_window(MPI_Comm comm, std::size_t size, MPI_Win* win);

}  // namespace redflag::pgas::mpi
