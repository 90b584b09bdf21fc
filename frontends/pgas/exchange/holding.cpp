#include "frontends/pgas/exchange/holding.h"

#include "frontends/pgas/hold/holder.h"

namespace redflag::pgas::mpi {

void hold_in_job(MPI_Comm of_all) {
  int rank = 0;
  PMPI_Comm_rank(of_all, &rank);
  const auto is_everywhere = [of_all](bool mine) {
    const int one = mine ? 1 : 0;
    int least = 0;
    PMPI_Allreduce(&one, &least, 1, MPI_INT, MPI_MIN, of_all);
    return least == one;
  };
  // Looking for a message that nobody sends lets the library get on with what others want of this rank.
  const auto progress = [of_all] {
    int is_there = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, 0x7ffe, of_all, &is_there, MPI_STATUS_IGNORE);
  };
  hold::start_holding(static_cast<std::uint32_t>(rank), is_everywhere, progress);
}

}  // namespace redflag::pgas::mpi
