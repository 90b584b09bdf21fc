#include "frontends/pgas/mpi/collectives.h"

#include <algorithm>
#include <cstring>

namespace redflag::pgas::mpi {
namespace {

// One rank's clock in a nonblocking collective: all of one size, since the others' are not known.
constexpr std::size_t kRoom = 1024;

const Comm* followed(MPI_Comm comm) {
  const Comm* const over = state() == nullptr ? nullptr : state()->comm(comm);
  return over == nullptr || over->is_inter ? nullptr : over;
}

int rank_in(const Comm& comm) {
  int rank = 0;
  PMPI_Comm_rank(comm.shadow, &rank);
  return rank;
}

}  // namespace

namespace {

struct Used {
  std::vector<Piece> pieces;
  OriginBuffer buffer;
};

// Those that mean something here, taken apart.
std::vector<Used> used_here(const Comm& over, int root,
                            std::initializer_list<CollectiveBuffer> buffers) {
  std::vector<Used> found;
  const bool is_root = rank_in(over) == root;
  for (const CollectiveBuffer& each : buffers) {
    if (each.address == MPI_IN_PLACE || each.address == nullptr || each.count <= 0) continue;
    if (each.where != Where::kAll && is_root != (each.where == Where::kRoot)) continue;
    const std::int64_t times =
        each.for_each_rank ? static_cast<std::int64_t>(over.ranks.size()) : 1;
    Used& one = found.emplace_back();
    one.pieces = state()->types.pieces(each.type, each.count * times);
    one.buffer = {reinterpret_cast<std::uint64_t>(each.address),
                  {},
                  each.is_written ? AccessKind::kOriginWrite : AccessKind::kOriginRead};
  }
  return found;
}

}  // namespace

void use_buffers(const LibraryCall& call, MPI_Comm comm, int root,
                 std::initializer_list<CollectiveBuffer> buffers) {
  const Comm* const over = followed(comm);
  if (over == nullptr || call.thread == nullptr) return;
  const abi::WatchTable& runtime = *state()->job.runtime();
  for (const Used& each : used_here(*over, root, buffers)) {
    for (const Piece& piece : each.pieces) {
      const std::uint64_t at = each.buffer.address + piece.offset;
      if (each.buffer.kind == AccessKind::kOriginWrite) {
        runtime.write(call.thread, reinterpret_cast<void*>(at), piece.size);
      } else {
        runtime.read(call.thread, reinterpret_cast<const void*>(at), piece.size);
      }
    }
  }
}

std::uint64_t begin_buffers(const LibraryCall& call, MPI_Comm comm, int root,
                            std::initializer_list<CollectiveBuffer> buffers) {
  const Comm* const over = followed(comm);
  if (over == nullptr) return 0;
  const std::vector<Used> used = used_here(*over, root, buffers);
  std::vector<OriginBuffer> all;
  for (const Used& each : used) {
    all.push_back(each.buffer);
    all.back().pieces = each.pieces;
  }
  return all.empty() ? 0 : state()->job.issue(call, all, nullptr, true, Ends::kAlone);
}

void attach_buffers(const MPI_Request* request, std::uint64_t operation) {
  State* const s = state();
  if (s == nullptr || operation == 0) return;
  const std::lock_guard guard(s->lock);
  const auto at = s->requests.find(*request);
  if (at != s->requests.end()) at->second.operation = operation;
}

void learn_from_root(const LibraryCall& call, int root, MPI_Comm comm) {
  const Comm* const over = followed(comm);
  if (over == nullptr) return;
  Job& job = state()->job;
  if (rank_in(*over) == root) {
    (void)broadcast(over->shadow, root, bytes_of(*job.release(call)));
  } else {
    job.acquire(call, knowledge_of(broadcast(over->shadow, root, {})));
  }
}

void tell_root(const LibraryCall& call, int root, MPI_Comm comm) {
  const Comm* const over = followed(comm);
  if (over == nullptr) return;
  Job& job = state()->job;
  Knowledge known;
  for (const Bytes& each : gather(over->shadow, root, bytes_of(*job.release(call)))) {
    known.join(knowledge_of(each));
  }
  if (rank_in(*over) == root) job.acquire(call, known);
}

void learn_from_those_before(const LibraryCall& call, MPI_Comm comm) {
  const Comm* const over = followed(comm);
  if (over == nullptr) return;
  Job& job = state()->job;
  const std::vector<Bytes> all = all_gather(over->shadow, bytes_of(*job.release(call)));
  Knowledge known;
  for (int r = 0; r < rank_in(*over); ++r) {
    known.join(knowledge_of(all[static_cast<std::size_t>(r)]));
  }
  job.acquire(call, known);
}

namespace {

struct Neighbours {
  std::vector<int> in;
  std::vector<int> out;
};

Neighbours neighbours_in(MPI_Comm comm) {
  Neighbours found;
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    for (int d = 0; d < dimensions; ++d) {
      int below = MPI_PROC_NULL;
      int above = MPI_PROC_NULL;
      PMPI_Cart_shift(comm, d, 1, &below, &above);
      for (const int each : {below, above}) {
        if (each != MPI_PROC_NULL) found.in.push_back(each);
      }
    }
    found.out = found.in;
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    int count = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count);
    found.in.resize(static_cast<std::size_t>(count));
    PMPI_Graph_neighbors(comm, rank, count, found.in.data());
    found.out = found.in;
  } else if (topology == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int is_weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted);
    found.in.resize(static_cast<std::size_t>(in));
    found.out.resize(static_cast<std::size_t>(out));
    std::vector<int> weights(static_cast<std::size_t>(std::max(in, out)) + 1);
    PMPI_Dist_graph_neighbors(comm, in, found.in.data(), weights.data(), out, found.out.data(),
                              weights.data());
  }
  return found;
}

}  // namespace

// By messages between ranks of the job, where no message of the program's can be taken for one.
void between_neighbours(const LibraryCall& call, MPI_Comm comm) {
  const Comm* const over = followed(comm);
  if (over == nullptr) return;
  constexpr int kTag = 1;
  State& s = *state();
  Comm job;
  job.shadow = s.of_all;
  const Neighbours near = neighbours_in(comm);
  const auto known = s.job.release(call);
  const auto rank = [&](int each) {
    return static_cast<int>(over->ranks[static_cast<std::size_t>(each)]);
  };
  for (const int each : near.out) s.send(job, rank(each), kTag, *known);
  for (const int each : near.in) s.job.acquire(call, s.receive(job, rank(each), kTag).known);
}

Request clocks_of(const LibraryCall& call, MPI_Comm comm) {
  Request made;
  made.kind = Request::Kind::kCollective;
  const Comm* const over = followed(comm);
  if (over == nullptr) return made;
  const auto known = state()->job.release(call);
  Bytes mine = bytes_of(*known);
  if (mine.size() > kRoom) {
    // Of others only what the phase says.
    Knowledge less;
    less.enter(known->phase(), known->exceptions());
    const ThreadName self{state()->transport.rank(), 0};
    less.learn(self, known->counter_of(self));
    mine = bytes_of(less);
  }
  mine.resize(kRoom);
  // The own clock lies in its place: nothing else has to stay until the wait.
  made.from_all = std::make_shared<Bytes>(kRoom * over->ranks.size());
  const auto self = static_cast<std::size_t>(rank_in(*over));
  std::memcpy(made.from_all->data() + self * kRoom, mine.data(), kRoom);
  PMPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, made.from_all->data(), kRoom, MPI_BYTE,
                  over->shadow, &made.clocks);
  return made;
}

void begins(const LibraryCall&, Whose whose, int root, MPI_Comm comm, MPI_Request request,
            Request made) {
  const Comm* const over = followed(comm);
  if (over == nullptr || made.from_all == nullptr) return;
  if (whose == Whose::kRoot) made.only = root;
  if (whose == Whose::kForRoot && rank_in(*over) != root) made.only = rank_in(*over);
  if (whose == Whose::kThoseBefore) {
    made.only = rank_in(*over);
    made.is_prefix = true;
  }
  const std::lock_guard guard(state()->lock);
  state()->requests[request] = std::move(made);
}

void collective_completed(const LibraryCall& call, State& s, Request& done) {
  PMPI_Wait(&done.clocks, MPI_STATUS_IGNORE);
  Knowledge known;
  const std::size_t count = done.from_all->size() / kRoom;
  for (std::size_t r = 0; r < count; ++r) {
    const auto rank = static_cast<int>(r);
    if (done.only >= 0 && (done.is_prefix ? rank >= done.only : rank != done.only)) continue;
    const auto begin = done.from_all->begin() + static_cast<std::ptrdiff_t>(r * kRoom);
    known.join(knowledge_of(Bytes(begin, begin + kRoom)));
  }
  s.job.acquire(call, known);
}

}  // namespace redflag::pgas::mpi
