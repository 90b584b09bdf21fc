#include "frontends/pgas/exchange/holding.h"

#include "frontends/pgas/hold/holder.h"
#include "frontends/pgas/track/layer.h"

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
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  const auto is_allowed = [level] {
    int is_over = 0;
    PMPI_Finalized(&is_over);
    if (is_over != 0) return false;
    if (level == MPI_THREAD_MULTIPLE) return true;
    int is_main = 0;
    PMPI_Is_thread_main(&is_main);
    // Of several threads that call it one at a time, another may be in a call now.
    const bool is_alone = runtime() == nullptr || runtime()->is_alone();
    return is_main != 0 && (level <= MPI_THREAD_FUNNELED || is_alone);
  };
  hold::start_holding(static_cast<std::uint32_t>(rank), is_everywhere, {progress, is_allowed});
}

}  // namespace redflag::pgas::mpi
