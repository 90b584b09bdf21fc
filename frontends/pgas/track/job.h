// Job: this rank's part in following a distributed program, whatever its library is.
//
// A frontend translates each call of its library into the steps below, between the begin and the end
// of the real call. What touches this rank's memory is checked here, when the records of the other
// ranks have come: at barriers of all, once enough has gathered, and at the end; and between barriers,
// where these are long in coming (job_window.cpp). Races go to rank 0.
//
// All steps may come from any thread of the rank; each takes the job's lock, and none is held while
// the library's own functions run.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/detect/pgas/claims.h"
#include "core/detect/pgas/gap.h"
#include "core/detect/pgas/phase.h"
#include "frontends/pgas/track/mail.h"
#include "frontends/pgas/track/record.h"
#include "frontends/pgas/track/runtime.h"
#include "frontends/pgas/track/sources.h"
#include "frontends/pgas/track/statement.h"
#include "frontends/pgas/track/tasks.h"
#include "frontends/pgas/track/transport.h"
#include "frontends/pgas/track/windows.h"

namespace redflag::pgas {

// Memory of the calling rank that an operation reads from or writes to.
struct OriginBuffer {
  std::uint64_t address = 0;
  std::span<const Piece> pieces;
  AccessKind kind = AccessKind::kOriginRead;
};

// What whoever waits for the value of a write learns: what its writer knew.
struct Words {
  const std::shared_ptr<const Knowledge>& others;
  ThreadName self;
  std::uint64_t counter = 0;
  std::uint64_t fenced = 0;  // towards the target; 0: nothing

  Knowledge all(std::uint32_t target) const {
    Knowledge known = *others;
    known.learn(self, counter);
    if (fenced != 0) known.learn(delivery(self.rank, target), fenced);
    return known;
  }
};

// Where a writer leaves its words, before it writes; within the job's lock.
class FlagWriter {
 public:
  virtual ~FlagWriter() = default;
  // `record`: which of all to its target. True: the target wants to be told by a message.
  virtual bool leave(std::uint64_t record, const Words& words) = 0;
};

struct TargetAccess {
  std::uint32_t rank = 0;
  std::uint64_t window = 0;
  std::uint64_t group = 0;  // what completes together: the window, a context
  std::int64_t displacement = 0;
  std::span<const Piece> pieces;
  AccessKind kind = AccessKind::kPut;
  Atomicity atomicity;
  const Knowledge* known_there =
      nullptr;                 // what orders this operation, and nothing else of its thread
  FlagWriter* flag = nullptr;  // somebody may wait for what it writes
};

enum class Completes : std::uint8_t { kLocally, kRemotely };  // remotely: locally, too

// How an operation ends: with all of its group towards its target, or also by itself (a request, a call
// that returns when it is over, a flag that is waited for).
enum class Ends : std::uint8_t { kTogether, kAlone };

class Job {
 public:
  struct Options {
    Model model = Model::kMpi;
    std::size_t batch =
        1U << 16;  // accesses that gather before it is time to exchange or settle them
    // Records that wait for a barrier before they go by the window: there, most of them need not go at
    // all (classes.h). Nothing: as many as the rank has memory for.
    std::optional<std::size_t> most_waiting;
    bool predicts = false;  // core/detect/pgas/predicted.h
    std::size_t worth_asking =
        1U << 12;  // so many that owners are asked first whether they need them
    // Limits of what is kept where no barrier ends a phase, nor all ranks know of it: accesses to this
    // rank's memory, and bytes of records for ranks that do not take them. What is lost is told.
    std::size_t most_kept = 1U << 22;
    std::size_t most_unsent = 64U << 20;
    std::function<void(const std::string& line)> report;  // at rank 0
  };
  Job(Transport& transport, const abi::WatchTable* runtime, Options options);

  const abi::WatchTable* runtime() const { return runtime_; }
  // Accesses to this rank's memory that are kept.
  std::size_t kept() const { return phase_.size(); }

  // --- Memory.
  void window_made(const LibraryCall& call, Window window, std::span<const Segment> others);
  void window_freed(const LibraryCall& call, std::uint64_t number);
  void attached(const LibraryCall& call, const Segment& segment);
  void detached(const LibraryCall& call, std::uint64_t window, std::uint64_t begin);
  const Window* window(std::uint64_t number) const { return windows_.find(number); }

  // --- Operations.
  struct Issued {
    std::uint64_t number = 0;  // of one that ends alone, in this rank; 0: it ends with others
    std::uint64_t record = 0;  // which of all to its target; 0: it has none
    std::optional<Knowledge> to_tell;  // the target, who waits for what it writes
  };
  // `local_is_all`: what is complete locally is so at the target (a get's data cannot arrive before it
  // is read).
  Issued issue(const LibraryCall& call, std::span<const OriginBuffer> buffers,
               const TargetAccess* target, bool local_is_all, Ends ends);
  // Behind the real call that completes those of a group. `target` nothing: all.
  void complete(const LibraryCall& call, Completes how, std::uint64_t group,
                std::optional<std::uint32_t> target);
  // Before the real call. Where a buffer is of a function that has returned, the library may write to what is now the
  // stack of its own: what is known of such is told at once, since the process may not live on.
  // `frame`: of the function that the program called.
  void about_to_complete(const LibraryCall& call, const void* frame);
  void complete_operation(const LibraryCall& call, Completes how, std::uint64_t operation);

  // Those of the group that write are delivered before whatever this rank writes to the same target from now on.
  void fence(const LibraryCall& call, std::uint64_t group);
  // The waiting side: it has seen what that record wrote (0: it is not known which).
  void seen(const LibraryCall& call, std::uint32_t from, std::uint64_t record,
            const Knowledge& known);

  // --- Order.
  // Before the message is sent, or the lock given up.
  std::shared_ptr<const Knowledge> release(const LibraryCall& call);
  // Somebody learns from an operation, by its value; and before a call that may wait for long: owners are
  // told what they were not yet.
  void told(const LibraryCall& call);
  void waits(const LibraryCall& call);
  void acquire(const LibraryCall& call, const Knowledge& known);
  // By something that is no call of the library, and in which none may be made: the calling thread learns, if there is
  // anything to learn; what others may learn of it.
  Knowledge met(const LibraryCall& call, const Knowledge* learned);
  // A lock is held from now on: what those knew who held it before. Then, before it is given up, release()
  // and unlocked(). More is learned of its earlier holders where the lock is many ranks'.
  void locked(const LibraryCall& call, const RankLock& lock, const Knowledge& known);
  void acquire_by_lock(const LibraryCall& call, const Knowledge& known);
  void unlocked(const LibraryCall& call, const RankLock& lock);
  // Around a collective step of all ranks that each leaves behind all others' coming.
  void barrier_enter(const LibraryCall& call);
  void barrier_leave(const LibraryCall& call);
  // The end of the job: all ranks check what they have.
  void finish(const LibraryCall& call);

 private:
  // Operations that end together: those of a group towards one target, of one kind, since the last
  // batch and the last fence; or one that ends alone.
  struct OpenKey {
    std::uint64_t group = 0;
    std::uint32_t target = 0;
    bool writes = false;
    bool local_is_all = false;
    std::uint64_t generation = 0;  // of the batch that their records are in; 0: they have none
    std::uint64_t fences = 0;
    std::uint64_t alone = 0;  // its number; 0: together
    friend auto operator<=>(const OpenKey&, const OpenKey&) = default;
  };
  struct Open {
    std::uint64_t number = 0;      // of its records' fate
    std::uint32_t local = kNone;   // fate of what is pending of buffers, in own_
    std::uint32_t common = kNone;  // of such that are in a window, in phase_
    std::uint32_t remote = kNone;  // of records, in the target's batch
    bool is_fenced = false;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  using OpenOnes = std::map<OpenKey, Open>;
  class Step;

  // An operation of late that ends together with others. The next one of the same statement to the same
  // target mostly differs in addresses only: what is known of the one holds for the other.
  struct Alike {
    Open* open = nullptr;  // nullptr: none
    SourceNumber source = 0;
    std::shared_ptr<const Knowledge> issued;
    std::uint64_t window = 0;
    std::uint64_t group = 0;
    std::uint32_t rank = 0;
    AccessKind kind = AccessKind::kPut;
    Atomicity atomicity;
    Piece piece;                   // of the target
    std::uint64_t generation = 0;  // of its batch
    std::uint32_t shape = 0;       // in it
    std::size_t buffers = 0;       // none, or one:
    AccessKind buffer_kind = AccessKind::kOriginRead;
    std::uint32_t buffer_shape = 0;  // in own_
  };
  using Alikes = std::array<Alike, 64>;
  static Alike& alike_at(Alikes& all, SourceNumber source, std::uint32_t rank) {
    return all[(source * 5 + rank) % all.size()];
  }
  // Some of what they refer to is gone.
  void forget_alikes();
  bool is_alike(const Alike& one, SourceNumber source, const Knowledge* issued,
                std::span<const OriginBuffer> buffers, const TargetAccess& target) const;

  void drain(void* thread);
  void add_local(Task& task, const abi::WatchedAccess& access);
  void add_local(Shape& shape, std::uint64_t now, std::uint64_t from, std::uint64_t to);
  Fate local_fate(const Shape& shape) const;
  void watch(void* thread);
  void watch_buffer(const LibraryCall& call, const OriginBuffer& buffer);
  void unwatch_buffers(const LibraryCall& call);
  SourceNumber source(const LibraryCall& call);
  Open& open_for(const OpenKey& key);
  void add_buffer(const Task& task, const Shape& shape, const OriginBuffer& buffer, Open& open);
  void remember(Open& open, const Shape& shape, std::span<const OriginBuffer> buffers,
                const TargetAccess& target);
  std::uint64_t issue_alike(const Task& task, const Alike& alike,
                            std::span<const OriginBuffer> buffers, const TargetAccess& target);
  void leave_words(const Task& task, const std::shared_ptr<const Knowledge>& known,
                   const TargetAccess& target, Issued& issued) const;
  void settle_buffers(const LibraryCall& call);
  void own_becomes_common();
  std::uint64_t add_target(const Task& task, Shape shape, const TargetAccess& target, Open& open);
  // True: nothing of it is pending any more.
  bool complete(const Task& task, Completes how, const OpenKey& key, Open& open);
  std::size_t gathered() const { return phase_.size() + own_.size() + records_; }
  Phase& home_of(const Windows::Stretch& memory) { return memory.is_common ? phase_ : own_; }
  Batch& batch_for(std::uint32_t rank);
  bool wants_exchange() const;
  void ask_owners(const Knowledge& of_all);
  void exchange();
  // `or_later`: by the window, where others may not have come as far.
  void take_frames(std::uint32_t from, bool or_later);
  void take_in(std::uint32_t from, const BatchContents& batch, bool or_later);
  void check(const Knowledge& of_all);
  std::size_t kept_for_others() const;
  void note(const std::vector<Race>& races);
  void lost(std::uint32_t owner, std::size_t accesses);
  void report(std::string_view lines) const;
  std::string line_of(const Race& race) const;

  // --- Between barriers: job_window.cpp.
  void turn(const Task& task);
  std::size_t most_waiting() const;
  bool has_few() const;  // records, so that it costs nothing to tell them
  void tell_if_due(const Task& task);
  void tell_all(const Task& task, std::uint32_t enters = 0);
  void claim(const Task& task, std::uint32_t enters = 0);
  bool send(std::uint32_t rank);
  void take_arrived();
  void settle(const Task& task);
  void rest();

  Transport& transport_;
  const abi::WatchTable* runtime_;
  Options options_;
  CallLock lock_;
  Tasks tasks_;
  Sources sources_;
  Windows windows_;
  Phase phase_;
  // Memory that no window has: buffers of operations, and loads and stores of them while they were under way.
  // Nobody else's business, so it is settled whenever none is (settle_buffers).
  Phase own_;
  std::vector<Batch> batches_;  // by rank
  std::size_t records_ = 0;     // in all of them
  std::chrono::steady_clock::time_point exchanged_;
  std::uint32_t exchanged_phase_ = 0;
  Claims claims_;
  std::vector<Outgoing> outgoing_;  // by rank, as is the next
  std::vector<Incoming> incoming_;
  std::vector<std::uint32_t> to_tell_;  // other ranks for whom there is something
  std::size_t unsent_ = 0;              // bytes in all of outgoing_
  std::size_t tell_at_ = 0;             // records_ and phase_.size() from which on it is time
  std::size_t settle_at_ = 0;
  std::chrono::steady_clock::time_point left_at_;  // the last barrier of all
  std::chrono::steady_clock::time_point told_at_;
  std::chrono::steady_clock::time_point settled_at_;
  std::chrono::steady_clock::duration settling_{};  // how long it took
  std::uint32_t turns_ = 0;
  OpenOnes open_;
  std::array<OpenOnes::value_type*, 16> recent_{};  // of open_, by target
  Alikes alike_;
  std::map<std::uint64_t, OpenKey> alone_;  // of open_, by number
  std::uint64_t numbers_ = 0;
  std::uint64_t fences_ = 0;
  std::map<std::uint32_t, std::uint64_t> fenced_;  // by target: counter of the last fence
  std::uint32_t phase_number_ = 0;
  std::vector<ThreadName> unknown_;  // of this rank, at the barrier that is under way
  // Pages of buffers that operations may still read or write; and of some more, until none does.
  std::vector<abi::WatchedRange> buffers_;
  // What the runtime watches: buffers_ and the windows' segments, in order, apart from each other.
  std::vector<abi::WatchedRange> watched_;
  std::uint64_t lowest_filled_ =
      ~std::uint64_t{0};          // address of a buffer that is received into, of those
  std::size_t open_buffers_ = 0;  // fates of such that are pending
  std::set<std::pair<std::uint64_t, std::uint64_t>> reported_;  // by places
  std::set<std::pair<std::uint64_t, std::uint64_t>> predicted_;
  std::string lines_;  // of races, for rank 0
};

}  // namespace redflag::pgas
