// State: what this layer keeps of an OpenSHMEM program, beside the job.
//
// Symmetric memory: each allocation of the symmetric heap is an object, numbered alike on all PEs since
// allocating is collective; the program's global variables are one more. An address of the calling
// PE names the object and the bytes in it, at any PE. Open MPI's OpenSHMEM runs on its MPI, which the
// exchange uses: it is started with it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "frontends/pgas/exchange/flags.h"
#include "frontends/pgas/exchange/locks.h"
#include "frontends/pgas/exchange/mpi_transport.h"
#include "frontends/pgas/exchange/shared_clocks.h"
#include "frontends/pgas/hold/holder.h"
#include "frontends/pgas/track/job.h"

namespace redflag::pgas::shmem {

// A context of the library's, by its handle; nullptr: the default one.
using Context = const void*;

// A place in symmetric memory.
using Place = mpi::FlagPlace;

// PEs that take part in something: PE_start, logPE_stride, PE_size.
using ActiveSet = std::tuple<int, int, int>;

// Why an address is in no object.
enum class Absent : std::uint8_t { kFreed, kBetween, kElsewhere };

class State {
 public:
  explicit State(const abi::WatchTable* watched_by);

  // nullptr: it is in none.
  const Segment* object_at(const void* address) const;
  std::optional<Place> place(const void* address) const;
  Absent absent(std::uint64_t address) const;
  void set_globals(const LibraryCall& call, const Segment& globals);
  void allocated(const LibraryCall& call, void* p, std::size_t size);
  void freed(const LibraryCall& call, void* p);

  // The job's, and what is held under 'redflag confirm' with it.
  Job::Issued issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
                    const TargetAccess& target, Ends ends);
  // Collective, under 'redflag confirm': where all PEs have an object.
  void tell_holder(std::uint64_t object, std::uint64_t base);

  // What completes together.
  std::uint64_t group(Context context);
  void context_made(Context context);
  void context_gone(Context context);
  bool has_context(Context context);

  // A write to what its PE has waited for before: that is told by a message. And what was written to an
  // address that was waited for.
  void tell(int pe, const Place& place, const Job::Issued& write);
  void look(const LibraryCall& call, const void* flag);
  // Only to make room.
  void drain();

  MPI_Comm comm(const ActiveSet& set);  // of all, where it is all PEs
  bool is_all(const ActiveSet& set) const;

  MPI_Comm of_all;
  mpi::MpiTransport transport;
  Job job;
  mpi::Locks locks;
  mpi::Flags flags;
  std::shared_ptr<mpi::SharedClocks> clocks;  // of this machine

 private:
  struct Sent {
    MPI_Request request;
    Bytes bytes;
  };

  CallLock lock_;
  Segment globals_;
  std::map<std::uint64_t, Segment> objects_;      // by address
  std::map<std::uint64_t, std::uint64_t> freed_;  // begin, end: and not allocated since
  abi::WatchedRange heap_{~std::uint64_t{0},
                          0};  // from the lowest to the highest byte that was ever allocated
  std::uint64_t allocations_ = 1;
  std::map<Context, std::uint64_t> contexts_;
  std::uint64_t groups_;  // numbers that were given
  std::map<Place, std::vector<mpi::FlagSeen>> told_;
  std::deque<Sent> sent_;
  std::map<ActiveSet, MPI_Comm> comms_;
};

State* state();
bool has_ended();
void start(const LibraryCall& call);
void finish(const LibraryCall& call);

}  // namespace redflag::pgas::shmem
