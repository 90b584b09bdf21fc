#include "frontends/pgas/exchange/mpi_transport.h"

#include <numeric>

#include "frontends/pgas/track/counts.h"

namespace redflag::pgas::mpi {
namespace {

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

std::vector<Bytes> all_to_all(MPI_Comm comm, const std::vector<Bytes>& to_each) {
  std::vector<int> sizes;
  Bytes out;
  for (const Bytes& each : to_each) {
    sizes.push_back(static_cast<int>(each.size()));
    out.insert(out.end(), each.begin(), each.end());
  }
  const std::vector<int> out_at = places(sizes);
  std::vector<int> in_sizes(sizes.size());
  PMPI_Alltoall(sizes.data(), 1, MPI_INT, in_sizes.data(), 1, MPI_INT, comm);
  const std::vector<int> in_at = places(in_sizes);
  Bytes in(static_cast<std::size_t>(in_at.back()));
  PMPI_Alltoallv(out.data(), sizes.data(), out_at.data(), MPI_BYTE, in.data(), in_sizes.data(),
                 in_at.data(), MPI_BYTE, comm);
  return cut(in, in_sizes, in_at);
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
  return mpi::all_to_all(comm_, to_each);
}

std::vector<Bytes> MpiTransport::all_gather(const Bytes& mine) {
  return mpi::all_gather(comm_, mine);
}

std::vector<Bytes> MpiTransport::gather(const Bytes& mine) {
  return mpi::gather(comm_, 0, mine);
}

}  // namespace redflag::pgas::mpi
