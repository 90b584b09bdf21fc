// Finding: a race as a person reads it, with everything resolved; and Report, a list of them.
//
// Self-contained: names, stacks and the picture of the interleaving are inside, so that a report
// can be written to JSON, read back and rendered later, elsewhere, without the trace. Built by
// explain/ from traces and by frontends from live runs, changed only by report/'s fold, suppression
// and baseline steps, printed by its renderers.
//
// A live run knows things that a trace does not: where threads and locks were created, who
// allocated and freed the memory, which binary a frame is in. A trace knows the picture. Whatever
// is not known is empty, and no printer mentions it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/race.h"
#include "core/model/sources.h"

namespace redflag {

// What is known of a frame's line besides its number.
enum class LineState : std::uint8_t {
  kAsGiven,        // the frame says it all
  kNearest,        // the compiler gave the instruction no line: the nearest one in the function
  kNoDebugInfo,    // the binary has names, but no lines for this code
  kStripped,       // neither names nor lines
  kSystemLibrary,  // of the system, whose debug information is not installed
  kCalled,         // the library function that the program called: its insides do not matter
};
inline constexpr int kLineStateCount = 6;

// A frame with its place in a binary, which frames of a trace do not have.
struct CodeFrame : Frame {
  std::string module;        // path of the executable or library; may be empty
  std::uint64_t offset = 0;  // in the module, of the call or access
  LineState line_state = LineState::kAsGiven;

  CodeFrame() = default;
  CodeFrame(Frame frame) : Frame(std::move(frame)) {}  // implicit: a frame of a trace is one
  CodeFrame(std::string function_name, std::string file_name, std::uint32_t line_number,
            std::uint32_t column_number)
      : Frame{std::move(function_name), std::move(file_name), line_number, column_number} {}

  friend bool operator==(const CodeFrame&, const CodeFrame&) = default;
};
using Stack = std::vector<CodeFrame>;  // innermost first; empty: unknown

inline constexpr ThreadId kUnknownThread{0xffffffffU};

struct HeldLock {
  std::string name;
  bool shared = false;   // held for reading
  std::uint64_t id = 0;  // of a LockOrigin of the finding; 0: none
  Stack acquired = {};

  friend bool operator==(const HeldLock&, const HeldLock&) = default;
};

// Where a thread of a GPU program is. Of the host's own operations `kernel` is empty.
struct GpuPlace {
  std::string kernel;
  std::uint32_t launch = 0;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  Scope scope = Scope::kSystem;
  bool is_async = false;  // the access is of a copy that the thread started
  Stack launched = {};    // where the host launched the kernel; may be empty

  friend bool operator==(const GpuPlace&, const GpuPlace&) = default;
};

// Where an access of a one-sided program comes from.
struct RankPlace {
  std::uint32_t rank = 0;
  std::string operation;  // "put", "origin-read", "load": core/detect/pgas/access.h
  bool pending = false;   // never known to have completed

  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

// One of the two accesses.
struct Side {
  Access access;
  std::string thread_name;         // never empty: "T3" when there is no name
  Stack stack;                     // may be empty
  std::vector<HeldLock> locks;     // held at the access
  std::uint32_t more_locks = 0;    // held too, but not kept
  bool is_vptr = false;            // the access is of an object's pointer to its virtual functions
  std::optional<GpuPlace> gpu{};   // findings of GPU programs
  std::optional<RankPlace> rma{};  // findings of one-sided programs

  friend bool operator==(const Side&, const Side&) = default;
};

// A thread that the finding speaks of, as its process saw it.
struct ThreadOrigin {
  enum class State : std::uint8_t { kUnknown, kRunning, kFinished };
  ThreadId thread{0};
  std::string name;             // never empty, as in Side
  std::uint32_t system_id = 0;  // 0: unknown
  State state = State::kUnknown;
  bool is_fiber = false;
  ThreadId parent = kUnknownThread;
  std::string parent_name = {};
  Stack created = {};

  friend bool operator==(const ThreadOrigin&, const ThreadOrigin&) = default;
};

struct LockOrigin {
  std::uint64_t id = 0;  // from 1, unique in its process
  std::string name;
  Addr addr{0};
  bool read_write = false;
  bool destroyed = false;
  Stack created = {};
  Stack allocated = {};  // the heap block that it is in

  friend bool operator==(const LockOrigin&, const LockOrigin&) = default;
};

// What became of the memory besides the two accesses.
struct MemoryOrigin {
  ThreadId thread = kUnknownThread;  // who allocated it, or whose stack it is
  bool freed = false;
  ThreadId freed_by = kUnknownThread;
  Stack freed_at = {};
  std::int32_t descriptor = -1;  // the memory stands for this file descriptor; -1: it does not
  std::string module = {};       // of a global
  std::uint64_t offset = 0;      // of the global in it
  std::string member = {};  // of the global: ".accounts[3].balance"; empty: all of it, or unknown

  friend bool operator==(const MemoryOrigin&, const MemoryOrigin&) = default;
};

// One mark in the picture of the interleaving, in trace order.
struct Step {
  enum class Role : std::uint8_t { kSync, kFirst, kSecond };
  EventIndex index = kNoIndex;
  ThreadId thread{0};
  Role role = Role::kSync;
  std::string what;  // "release m", "fork T2", "write 4 bytes"
  Frame at;          // may be unknown

  friend bool operator==(const Step&, const Step&) = default;
};

// Synchronisation that took place: steps[from] happens before steps[to], on another thread.
struct Arrow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  friend bool operator==(const Arrow&, const Arrow&) = default;
};

// What would have ordered the two accesses, told as what was missing or too weak.
enum class Missing : std::uint8_t {
  kAnyOrder,         // no synchronisation joins the two
  kLockOnOneSide,    // one held a lock, the other none
  kCommonLock,       // both held locks, but no common one
  kExclusiveLock,    // both held the same lock, the writer only for reading
  kReleaseOrder,     // an atomic passed between them, stored without release
  kAcquireOrder,     // an atomic passed between them, loaded without acquire
  kAtomicAccess,     // the other side is atomic, this one is plain
  kJoinBeforeReuse,  // the freeing thread did not wait
  kCorrectUse,       // not an order: a lock, thread or signal handler is used wrongly
  kWiderScope,       // GPU: a scope that includes the other thread
  kFence,            // GPU: a fence between data and signal
  kBarrier,          // GPU: a barrier of the warp, block or cluster
  kHostSync,         // GPU: the host or a stream did not wait
  kCompletion,       // one-sided: the operation was not complete
};
inline constexpr int kMissingCount = 14;

// What came of running the program again with the two statements held together (redflag confirm).
enum class Verdict : std::uint8_t {
  kConfirmed,      // two threads were about to make the two accesses at the same time
  kNotReproduced,  // in none of the runs
  kNotTried,       // `why` says the reason
};
inline constexpr int kVerdictCount = 3;

struct Confirmation {
  Verdict verdict = Verdict::kNotTried;
  std::uint32_t run = 0;   // the how-manieth; kConfirmed only
  std::uint32_t runs = 0;  // that were to be tried at most
  // Confirmed, though no schedule brings the two together: an atomic operation between them is too weak
  // to order them.
  bool weak_order = false;
  std::string why{};
  std::string schedule{};  // confirmed: what was done in that run, in words
  // The threads that met, as they were then; of one whose process ended too soon nothing is known.
  std::optional<Side> first{};
  std::optional<Side> second{};

  friend bool operator==(const Confirmation&, const Confirmation&) = default;
};

enum class BaselineStatus : std::uint8_t { kNone, kNew, kKnown };

struct Finding {
  Rule rule = Rule::kWriteWrite;
  Addr addr{0};
  std::uint32_t size = 0;
  Region memory;          // size 0: unnamed memory
  Stack memory_stack;     // where it was allocated or declared
  bool has_first = true;  // false: misuse, which happens at one place; `first` means nothing then
  Side first;
  Side second;
  std::vector<ThreadOrigin> threads;  // live runs: those of the sides, their parents and others
  std::vector<LockOrigin> locks;      // live runs: those held, or misused
  MemoryOrigin origin;
  Missing missing = Missing::kAnyOrder;
  std::string missing_text;  // one sentence, with the names involved
  std::string advice;        // one sentence: what to change
  std::vector<Step> steps;   // the picture; may be empty
  std::vector<Arrow> arrows;
  std::uint64_t count = 1;  // races folded into this one
  std::string fingerprint;  // stable between runs; set by report/fold
  BaselineStatus baseline = BaselineStatus::kNone;
  std::optional<Confirmation> confirmation{};  // once it was tried

  friend bool operator==(const Finding&, const Finding&) = default;
};

struct Counter {
  std::string name;
  double value = 0;
  std::string unit;  // "", "%", "bytes", "x"

  friend bool operator==(const Counter&, const Counter&) = default;
};

// A binary that stacks of the report speak of.
struct ModuleOrigin {
  std::string path;
  std::string build_id;  // hexadecimal; empty: it has none

  friend bool operator==(const ModuleOrigin&, const ModuleOrigin&) = default;
};

// Something of the run that no detector looked at, so that silence about it means nothing.
struct Unchecked {
  enum class Kind : std::uint8_t {
    kLibrary,            // compiled without instrumentation
    kThread,             // started by the C library for itself
    kKernel,             // of a GPU program, without PTX
    kUnsupportedKernel,  // has PTX, but could not be checked
  };
  Kind kind = Kind::kLibrary;
  std::string name;  // path of the library, name of the kernel; may be empty for threads
  std::uint64_t count = 1;

  friend bool operator==(const Unchecked&, const Unchecked&) = default;
};
inline constexpr int kUncheckedKindCount = 4;

struct Report {
  std::string tool_version;
  std::string command;  // to paste again
  std::string detector;
  std::string input;  // trace or program
  std::uint64_t events = 0;
  std::vector<Finding> findings;
  std::uint64_t suppressed = 0;         // races matched by a suppression
  std::uint64_t dropped = 0;            // races beyond the limit on distinct findings
  std::vector<Counter> stats;           // may be empty
  std::vector<ModuleOrigin> modules{};  // live runs: those of the two sides
  std::vector<Unchecked> unchecked{};   // as far as the frontend knows

  friend bool operator==(const Report&, const Report&) = default;
};

}  // namespace redflag
