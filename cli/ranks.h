// Ranks: this process among those that an MPI launcher started, or alone.
//
// Alone, every call answers at once and no library is loaded. Launched as one of several
// (OMPI_COMM_WORLD_SIZE or PMI_SIZE above 1), libredflag-mpi.so is loaded from ../lib beside the
// executable or from the library folder of the installation.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"

struct redflag_mpi;

namespace redflag::cli {

class Ranks {
 public:
  static Result<Ranks> join();

  Ranks(Ranks&& other) noexcept;
  Ranks& operator=(Ranks&& other) = delete;
  ~Ranks();  // finalizes MPI, unless a signal or an exception is ending the process

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }

  // Rank 0's value, on every rank.
  Result<int> broadcast(int value);
  // On rank 0 the bytes of all ranks in order; on others nothing.
  Result<std::vector<std::string>> gather(const std::string& bytes);

 private:
  Ranks() = default;
  const redflag_mpi* mpi_ = nullptr;  // nullptr: alone
  int rank_ = 0;
  int size_ = 1;
};

// From the launcher's environment, without MPI: for messages before it is up.
int launched_ranks();
int launched_rank();

// Where libredflag-mpi.so is; empty: nowhere it is looked for.
std::string find_mpi_library();

}  // namespace redflag::cli
