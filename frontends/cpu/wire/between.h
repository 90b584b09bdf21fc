// The common recording of processes that share memory: one memory file, mapped by all of them.
//
// `redflag run` makes it and tells its place in the environment (kBetweenVariable); a process that
// runs without it makes its own, which the children it forks inherit. Nobody writes into it before
// two processes may have a memory in common. From then on `active` is set, and every thread of every
// process that has joined records its synchronisation, and its accesses to shared memory, in chunks
// of the form of record.h, numbered by one counter. What a process recorded stays when it is killed.
//
// Objects (Event::object) are the same in all processes:
//   shared memory       (number of the memory + 1) << kMemoryShift, plus the offset in it
//   keys in it          the same, plus kSharedKeys: what orders there meets no plain access
//   named things        kNamed and 62 bits: pipes, all files, all sockets, private locks
//   a process's own     kPrivate, the process's number << 47, and the address
// Event::source is a number of a RecordedContext, unique in the file; the chunks with contexts and
// with modules have the process's number for a thread.
//
// Everything is zero to begin with. The tables only grow: an entry belongs to whoever took its
// number by adding to the count, and the reader, who comes when all have ended, trusts none of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace redflag::wire {

//   REDFLAG_BETWEEN=PATH     the common recording, by a name that can be opened
inline constexpr const char* kBetweenVariable = "REDFLAG_BETWEEN";

inline constexpr std::uint32_t kBetweenMagic = 0x31424652;  // "RFB1"
inline constexpr std::size_t kBetweenHeaderBytes = std::size_t{8} << 20;
inline constexpr std::size_t kBetweenChunkBytes = std::size_t{64} << 10;
inline constexpr std::uint32_t kBetweenChunks = 1U << 14;  // so at most 1 GiB is recorded
inline constexpr std::size_t kBetweenBytes =
    kBetweenHeaderBytes + kBetweenChunks * kBetweenChunkBytes;

inline constexpr std::uint32_t kBetweenProcesses = 1U << 14;
inline constexpr std::uint32_t kBetweenThreads = 1U << 16;
inline constexpr std::uint32_t kBetweenMemories = 1U << 11;
inline constexpr std::uint32_t kBetweenStripes = 1U << 10;

inline constexpr unsigned kMemoryShift = 40;
inline constexpr std::uint64_t kSharedKeys = std::uint64_t{1} << 52;
inline constexpr std::uint64_t kNamed = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kPrivate = std::uint64_t{1} << 63;
inline constexpr unsigned kProcessShift = 47;

enum BetweenName : std::uint64_t { kAllFiles = 1, kAllSockets = 2, kAllConnections = 3 };

// Device numbers that no file has.
inline constexpr std::uint64_t kSegmentDevice = ~std::uint64_t{0};  // System V, by its id
inline constexpr std::uint64_t kAnonymousDevice =
    ~std::uint64_t{0} - 1;  // of one mmap and its forks

struct BetweenProcess {
  std::atomic<std::uint32_t> pid;  // its own, written by it; 0: it never came so far
  std::uint32_t parent;            // number + 1 of the process that forked it; 0: nobody's
  std::uint32_t unused;
  std::atomic<std::uint32_t> ended;  // 1: it said that it ends; 2: somebody has waited for it
};
static_assert(sizeof(BetweenProcess) == 16);

struct BetweenThread {
  std::uint32_t process;
  std::uint32_t number;               // in its process
  std::atomic<std::uint32_t> joined;  // its process has joined it already
  char name[20];                      // ends with 0
};
static_assert(sizeof(BetweenThread) == 32);

// A file, a segment, or one anonymous mapping.
struct BetweenMemory {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t seen_at;  // where its first byte is, or would be, in the process that told first
  std::uint64_t size;     // of that mapping, from the first byte on
  std::uint32_t process;  // that told first; its modules tell the name
  std::uint32_t unused;
};
static_assert(sizeof(BetweenMemory) == 40);

// Serialises atomics on the bytes that share it, across processes: owner is taken and given up by
// compare-and-swap; version counts their writes, and is changed by the owner.
struct BetweenStripe {
  std::atomic<std::uint32_t> owner;  // a thread's number + 1
  std::atomic<std::uint32_t> version;
};

struct BetweenHeader {
  std::uint32_t magic;                // whoever made the file writes it, before anybody else has it
  std::atomic<std::uint32_t> active;  // 1: record; 2: no more, the recording is full
  std::atomic<std::uint64_t> sequence;    // numbers given to events
  std::atomic<std::uint64_t> stopped_at;  // events from this number on do not count; 0: all do
  std::atomic<std::uint32_t> processes;   // numbers given; may go beyond the room of the tables
  std::atomic<std::uint32_t> threads;
  std::atomic<std::uint32_t> contexts;
  std::atomic<std::uint32_t> chunks;
  std::atomic<std::uint32_t> memories;      // under memory_owner
  std::atomic<std::uint32_t> memory_owner;  // a lock as of a stripe, of the table of memories
  BetweenStripe stripe[kBetweenStripes];
  BetweenProcess process[kBetweenProcesses];
  BetweenThread thread[kBetweenThreads];
  BetweenMemory memory[kBetweenMemories];
};
static_assert(sizeof(BetweenHeader) <= kBetweenHeaderBytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace redflag::wire
