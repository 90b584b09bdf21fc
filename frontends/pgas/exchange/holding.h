// Holding (frontends/pgas/hold) in a job that runs on MPI.
#pragma once

#include <mpi.h>

namespace redflag::pgas::mpi {

// Collective: all ranks hold, or none. The communicator is our own, of all.
void hold_in_job(MPI_Comm of_all);

}  // namespace redflag::pgas::mpi
