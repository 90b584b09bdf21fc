#include "frontends/pgas/exchange/mpi_transport.h"

#include <sched.h>

#include <numeric>

#include "frontends/pgas/track/counts.h"

namespace redflag::pgas::mpi {
namespace {

constexpr int kExchangeTag = 1000;  // and the next, in turn

std::size_t size_of(MPI_Comm comm) {
  int size = 1;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) {  // what is gathered comes from the other side
    PMPI_Comm_remote_size(comm, &size);
  } else {
    PMPI_Comm_size(comm, &size);
  }
  return static_cast<std::size_t>(size);
}

// Where each part begins in what holds them one behind the other; and the end.
std::vector<int> places(const std::vector<int>& sizes) {
  std::vector<int> at(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), at.begin() + 1);
  return at;
}

std::vector<Bytes> cut(const Bytes& all, const std::vector<int>& sizes,
                       const std::vector<int>& at) {
  std::vector<Bytes> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    parts.emplace_back(all.begin() + at[i], all.begin() + at[i] + sizes[i]);
  }
  return parts;
}

}  // namespace

std::vector<Bytes> all_gather(MPI_Comm comm, const Bytes& mine) {
  std::vector<int> sizes(size_of(comm));
  const int size = static_cast<int>(mine.size());
  PMPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm);
  const std::vector<int> at = places(sizes);
  Bytes all(static_cast<std::size_t>(at.back()));
  PMPI_Allgatherv(mine.data(), size, MPI_BYTE, all.data(), sizes.data(), at.data(), MPI_BYTE, comm);
  return cut(all, sizes, at);
}

std::vector<Bytes> gather(MPI_Comm comm, int root, const Bytes& mine) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  std::vector<int> sizes(size_of(comm));
  const int size = static_cast<int>(mine.size());
  PMPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, root, comm);
  if (rank != root) {
    PMPI_Gatherv(mine.data(), size, MPI_BYTE, nullptr, nullptr, nullptr, MPI_BYTE, root, comm);
    return {};
  }
  const std::vector<int> at = places(sizes);
  Bytes all(static_cast<std::size_t>(at.back()));
  PMPI_Gatherv(mine.data(), size, MPI_BYTE, all.data(), sizes.data(), at.data(), MPI_BYTE, root,
               comm);
  return cut(all, sizes, at);
}

Bytes broadcast(MPI_Comm comm, int root, Bytes mine) {
  int size = static_cast<int>(mine.size());
  PMPI_Bcast(&size, 1, MPI_INT, root, comm);
  mine.resize(static_cast<std::size_t>(size));
  PMPI_Bcast(mine.data(), size, MPI_BYTE, root, comm);
  return mine;
}

// Nobody is told that there is nothing for him: who has something sends it, and goes on when it has been
// taken; that all have is known by a barrier that does not block (Hoefler, Siebert, Lumsdaine 2010). One who is
// behind it may send for the next step already, which is told apart by its tag.
std::vector<Bytes> all_to_all(MPI_Comm comm, const std::vector<Bytes>& to_each, int tag) {
  int self = 0;
  PMPI_Comm_rank(comm, &self);
  std::vector<Bytes> from_each(to_each.size());
  std::vector<MPI_Request> sent;
  for (int rank = 0; rank < std::ssize(to_each); ++rank) {
    const Bytes& bytes = to_each[static_cast<std::size_t>(rank)];
    if (bytes.empty()) continue;
    if (rank == self) {
      from_each[static_cast<std::size_t>(rank)] = bytes;
      continue;
    }
    PMPI_Issend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, rank, tag, comm,
                &sent.emplace_back());
  }
  MPI_Request all = MPI_REQUEST_NULL;
  for (bool has_come = false; !has_come; ::sched_yield()) {
    int is_there = 1;
    while (is_there != 0) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      PMPI_Improbe(MPI_ANY_SOURCE, tag, comm, &is_there, &message, &status);
      if (is_there == 0) break;
      int size = 0;
      PMPI_Get_count(&status, MPI_BYTE, &size);
      Bytes& bytes = from_each[static_cast<std::size_t>(status.MPI_SOURCE)];
      bytes.resize(static_cast<std::size_t>(size));
      PMPI_Mrecv(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
    int is_done = 0;
    if (all == MPI_REQUEST_NULL) {
      PMPI_Testall(static_cast<int>(sent.size()), sent.data(), &is_done, MPI_STATUSES_IGNORE);
      if (is_done != 0) PMPI_Ibarrier(comm, &all);
    } else {
      PMPI_Test(&all, &is_done, MPI_STATUS_IGNORE);
      has_come = is_done != 0;
    }
  }
  return from_each;
}

Bytes bytes_of(const Knowledge& known) {
  Bytes bytes;
  write_knowledge(known, bytes);
  return bytes;
}

Knowledge knowledge_of(const Bytes& bytes) {
  Reader in(bytes);
  return read_knowledge(in);
}

MpiTransport::MpiTransport(MPI_Comm of_all) : comm_(of_all), window_(of_all) {
  int rank = 0;
  PMPI_Comm_rank(comm_, &rank);
  rank_ = static_cast<std::uint32_t>(rank);
  size_ = static_cast<std::uint32_t>(size_of(comm_));
  counts().rank = rank_;
  counts().ranks = size_;
}

Transport::Words MpiTransport::largest(const Words& mine) {
  Words all{};
  count(counts().phases);
  count(counts().phase_bytes, sizeof(mine));
  PMPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MAX,
                 comm_);
  return all;
}

std::vector<Bytes> MpiTransport::all_to_all(const std::vector<Bytes>& to_each) {
  count(counts().exchanges);
  for (std::uint32_t rank = 0; rank < to_each.size(); ++rank) {
    if (rank == rank_ || to_each[rank].empty()) continue;
    count(counts().peers);
    count(counts().bytes, to_each[rank].size());
  }
  turn_ = 1 - turn_;
  return mpi::all_to_all(comm_, to_each, kExchangeTag + turn_);
}

std::vector<Bytes> MpiTransport::all_gather(const Bytes& mine) {
  return mpi::all_gather(comm_, mine);
}

std::vector<Bytes> MpiTransport::gather(const Bytes& mine) {
  return mpi::gather(comm_, 0, mine);
}

}  // namespace redflag::pgas::mpi
