// State: what this layer keeps of the program's communicators, windows and requests.
//
// Made when MPI has started, gone before it ends; nullptr in between means that a wrapper only calls
// the real function. Handles are MPI's own; each object of the program's that carries order has a
// communicator of ours beside it (a duplicate, made in the same collective call), on which clocks
// travel and which the program cannot disturb.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "frontends/pgas/exchange/locks.h"
#include "frontends/pgas/exchange/mpi_transport.h"
#include "frontends/pgas/exchange/shared_clocks.h"
#include "frontends/pgas/hold/holder.h"
#include "frontends/pgas/mpi/attachments.h"
#include "frontends/pgas/mpi/types.h"
#include "frontends/pgas/track/job.h"

namespace redflag::pgas::mpi {

struct Comm {
  MPI_Comm shadow = MPI_COMM_NULL;
  std::vector<std::uint32_t>
      ranks;            // of the job, by rank in it; of an intercommunicator the remote group
  bool is_all = false;  // every rank of the job, each once
  bool is_inter = false;
};

struct Win {
  std::uint64_t number = 0;
  Comm comm;                   // its own
  bool any_operation = false;  // accumulate_ops is not same_op or same_op_no_op
  std::unique_ptr<Locks> locks;
  std::unique_ptr<Attachments> attachments;  // of dynamic ones
  std::shared_ptr<SharedClocks> clocks;      // of those in shared memory
  // Ranks in it: who it started towards, who it posted to.
  std::vector<int> started;
  std::vector<int> posted;
  // By a fence that ends no epoch (MPI_MODE_NOPRECEDE), and is no barrier: what each target knew when it
  // came to the fence, which operations towards it wait for.
  std::vector<Knowledge> known_there;  // by rank; empty: no such fence was the last
};

// A clock that came with a message. `reply`: of a synchronous send, which the receiver's clock goes back to.
struct Came {
  Knowledge known;
  std::uint64_t reply = 0;
};

// What completes with a request.
struct Request {
  enum class Kind : std::uint8_t { kOperation, kSend, kReceive, kCollective, kComm };
  Kind kind = Kind::kOperation;
  std::uint64_t operation = 0;  // that is complete with it; 0: none
  bool is_persistent = false;   // then the rest is what MPI_Start begins
  bool is_active = true;
  MPI_Comm comm = MPI_COMM_NULL;
  int peer = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  std::uint64_t sequence = 0;  // among receives from this peer with this tag; 0: not known before
  std::uint64_t reply = 0;     // of a synchronous send: what is waited for
  std::shared_ptr<const Knowledge> at_post;  // of a receive: what was known when it was posted
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  // Of a nonblocking collective: the clocks of all, under way, and whose of them count.
  MPI_Request clocks = MPI_REQUEST_NULL;
  std::shared_ptr<Bytes> from_all;
  int only = -1;           // -1: all
  bool is_prefix = false;  // those below `only`, not that one
};

class State {
 public:
  explicit State(const abi::WatchTable* watched_by);

  Comm* comm(MPI_Comm handle);
  void comm_made(MPI_Comm handle);  // collective over it
  void comm_freed(MPI_Comm handle);
  Win* win(MPI_Win handle);
  Win& win_made(MPI_Win handle, MPI_Comm over);
  void win_freed(MPI_Win handle);

  // The job's, and what is held under 'redflag confirm' with it.
  std::uint64_t issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
                      const TargetAccess* target, bool local_is_all, Ends ends);

  // Waits for nobody: messages with clocks that have gone are forgotten.
  void send(const Comm& comm, int to, int tag, const Knowledge& known, std::uint64_t reply = 0);
  Came receive(const Comm& comm, int from, int tag);
  // Messages from one rank with one tag are received in the order of their receives: the number of a
  // receive that is posted, and the clock that came with it.
  std::uint64_t posted(MPI_Comm comm, int from, int tag);
  Came received(MPI_Comm comm, int from, int tag, std::uint64_t sequence);
  // Synchronous sends: the number of one, what its receiver answers, and the answer; empty if it does
  // not come in time, since a receive that is waited for later answers later.
  std::uint64_t next_reply() { return ++replies_; }
  void answer(std::uint32_t rank, std::uint64_t reply, const Knowledge& known);
  Knowledge answered(std::uint64_t reply);
  void settle_sends();

  MPI_Comm of_all;  // a duplicate of MPI_COMM_WORLD
  MpiTransport transport;
  Job job;
  Types types;
  CallLock lock;  // of the maps below
  std::map<MPI_Request, Request> requests;
  std::map<MPI_Message, Request> messages;  // matched, not yet received

 private:
  struct Sent {
    MPI_Request request;
    Bytes bytes;
  };
  struct Stream {
    std::uint64_t posted = 0;
    std::uint64_t taken = 0;
    std::map<std::uint64_t, Came> early;  // taken before its receive was complete
  };
  std::map<MPI_Comm, Comm> comms_;
  std::map<std::tuple<MPI_Comm, int, int>, Stream> streams_;
  std::map<MPI_Win, Win> wins_;
  std::vector<Sent> sent_;
  std::uint32_t windows_made_ = 0;
  std::atomic<std::uint64_t> windows_freed_{0};  // what threads remember of them is void
  std::atomic<std::uint64_t> replies_{0};
  std::map<std::uint64_t, Knowledge> answers_;
};

State* state();
void start();
// Collective: everything is checked.
void finish(const LibraryCall& call);

}  // namespace redflag::pgas::mpi
