// What a checked process tells the reporter, as bytes on a Unix stream socket.
//
// The runtime inside the program (rt/) is small: it finds races and sends what it knows as numbers,
// program counters and thread numbers. The reporter, another process (`redflag run`, or one that
// the runtime starts at its first race), turns them into findings: it reads /proc/PID/maps while
// the program waits for the reply, symbolises, folds, suppresses, prints, and writes the files when
// the connection closes, however the program ended.
//
// Every message is a MessageHeader and `size` bytes. kRace, kBetween, kMet and kStack are answered, by one Reply,
// kQuestion by one Answer. Nothing that arrives is trusted: the reader checks every count and offset (wire.cpp, fuzzed).
#pragma once

#include <cstdint>

namespace redflag::wire {

inline constexpr std::uint32_t kMagic = 0x31574652;  // "RFW1"
inline constexpr std::uint32_t kVersion = 3;
inline constexpr std::uint32_t kMaxMessage = 1U << 20;

// The environment through which `redflag run` and the runtime meet.
//   REDFLAG_SOCKET=@NAME     abstract Unix socket to connect to; without it the runtime starts
//                            `redflag attend --fd=N` itself, one per process
//   REDFLAG_PROGRAM=PATH     the redflag command, for the case that the runtime starts it
//   REDFLAG_IGNORED_CALLS=TEXT  suppressions `called_from_lib:`, one a line, of --suppressions
//   REDFLAG_RECORD=PREFIX    write the events of process PID to PREFIX.PID (record.h)
inline constexpr const char* kSocketVariable = "REDFLAG_SOCKET";
inline constexpr const char* kProgramVariable = "REDFLAG_PROGRAM";
inline constexpr const char* kIgnoredCallsVariable = "REDFLAG_IGNORED_CALLS";
inline constexpr const char* kRecordVariable = "REDFLAG_RECORD";

enum class Kind : std::uint32_t {
  kHello = 1,
  kRace = 2,
  kBye = 3,
  kBetween = 4,
  kMet = 5,
  kWords = 6,
  kQuestion = 7,
  kStack = 8,
};

struct MessageHeader {
  std::uint32_t magic = kMagic;
  Kind kind = Kind::kHello;
  std::uint32_t size = 0;  // of what follows
  std::uint32_t pid = 0;
};
static_assert(sizeof(MessageHeader) == 16);

struct Hello {
  std::uint32_t version = kVersion;
  std::uint32_t unused = 0;
};

// What the program itself says about reports; the text follows.
enum class About : std::uint32_t {
  kOptions,       // __tsan_default_options()
  kSuppressions,  // __tsan_default_suppressions()
  kReportPath,    // __sanitizer_set_report_path(): PATH of PATH.PID
  kReportFd,      // __sanitizer_set_report_fd(): a descriptor of the program, in decimal
};
struct Words {
  About about = About::kOptions;
  std::uint32_t unused = 0;
};

// The program asks what the reporter knows of an address: of data, or of code.
struct Question {
  std::uint64_t addr = 0;
  std::uint32_t is_code = 0;
  std::uint32_t unused = 0;
};
struct Answer {
  std::uint32_t magic = kMagic;
  std::uint32_t known = 0;
  std::uint64_t addr = 0;  // of the variable; of code: its offset in the module
  std::uint64_t size = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  char name[256] = {};  // of the variable or function; these end with 0
  char file[512] = {};
  char module[512] = {};
};
static_assert(sizeof(Answer) == 32 + 256 + 2 * 512);

// What processes recorded in common (between.h), in a descriptor of the sender: to be replayed now,
// since all of them have ended but the sender, who waits.
struct Between {
  std::uint32_t fd = 0;
  std::uint32_t unused = 0;
};

struct Bye {
  std::uint32_t status = 0;  // as given to exit
  std::uint32_t unused = 0;
  std::uint64_t shadow_bytes = 0;  // figures for --stats
  std::uint64_t history_bytes = 0;
  std::uint64_t slow_accesses = 0;
  std::uint64_t sweeps = 0;
  std::uint64_t sampled_regions = 0;
  std::uint64_t sampled_checks = 0;
  std::uint64_t unknown_threads = 0;  // not started through pthread_create: by libc for itself
};

// Program counters words[first, first + count), innermost first. They are return addresses (the
// call is at pc - 1), except where kExactPc is set.
struct StackRef {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};
inline constexpr std::uint64_t kExactPc = std::uint64_t{1} << 63;  // the first byte of a function

inline constexpr std::uint32_t kNoThread = 0xffffffffU;

struct ThreadRecord {
  std::uint32_t number = 0;  // 0: main
  std::uint32_t parent = kNoThread;
  std::uint32_t tid = 0;  // the system's
  std::uint8_t running = 0;
  std::uint8_t is_fiber = 0;
  std::uint16_t unused = 0;
  StackRef created;
  char name[24] = {};  // ends with 0
};
static_assert(sizeof(ThreadRecord) == 48);

struct LockRecord {
  std::uint64_t id = 0;  // M1, M2... unique in the process
  std::uint64_t addr = 0;
  StackRef created;
  std::uint8_t destroyed = 0;
  std::uint8_t read_write = 0;
  std::uint16_t unused = 0;
  std::uint32_t unused2 = 0;
  std::uint64_t block = 0;  // the heap block that it is in; 0: none
  std::uint64_t block_size = 0;
  StackRef allocated;
};
static_assert(sizeof(LockRecord) == 56);

struct HeldRecord {
  std::uint32_t lock = 0;  // index of a LockRecord
  std::uint8_t shared = 0;
  std::uint8_t unused[3] = {};
  StackRef acquired;
};
static_assert(sizeof(HeldRecord) == 16);

struct AccessRecord {
  std::uint64_t addr = 0;
  std::uint64_t clock = 0;
  std::uint32_t size = 0;
  std::uint32_t thread = kNoThread;  // a ThreadRecord's number
  std::uint8_t kind = 0;             // EventKind
  std::uint8_t order = 0;            // Order
  std::uint8_t is_volatile = 0;
  std::uint8_t is_vptr = 0;
  std::uint32_t first_held = 0;  // HeldRecords
  std::uint32_t held = 0;
  std::uint32_t more_held = 0;  // locks beyond those that were kept; of the earlier access unknown
  StackRef stack;               // count 0: no longer known
};
static_assert(sizeof(AccessRecord) == 48);

struct MemoryRecord {
  std::uint64_t addr = 0;  // 0: nothing known; the reporter looks for a global by its address
  std::uint64_t size = 0;
  std::uint8_t kind = 0;  // RegionKind
  std::uint8_t freed = 0;
  std::uint8_t is_fd = 0;  // addr is a file descriptor
  std::uint8_t unused = 0;
  std::uint32_t thread = kNoThread;  // who allocated it, or whose stack it is
  StackRef allocated;
  StackRef freed_at;
  std::uint32_t freed_by = kNoThread;
  std::uint32_t unused2 = 0;
};
static_assert(sizeof(MemoryRecord) == 48);

// What the log of the earlier access's thread says of that access.
enum class History : std::uint8_t {
  kLost,    // nothing: it does not go back so far, or could not be read
  kFound,   // `first` is as it stands there
  kDenied,  // it goes back to the thread's first access, and this one is not in it
};

struct Race {
  std::uint32_t rule = 0;  // core/model/race.h
  std::uint32_t size = 0;  // of the bytes both touched
  std::uint64_t addr = 0;
  std::uint8_t has_first = 1;  // misuse of a lock has one side only
  std::uint8_t in_signal_handler = 0;
  std::uint16_t met_side = 0;  // kMet: `second` was held here, or found who was (hold.h)
  std::uint32_t threads = 0;   // ThreadRecord[threads], LockRecord[locks], HeldRecord[helds] and
  std::uint32_t locks = 0;     // u64 words[words] follow, in this order
  std::uint32_t helds = 0;
  std::uint32_t words = 0;
  History history = History::kLost;
  std::uint8_t sync_ignored = 0;  // the program ever asked to ignore synchronisation
  std::uint16_t unused2 = 0;
  std::uint64_t first_addr = 0;  // `addr` by the mapping that `first` used; 0: the same
  AccessRecord first;            // earlier
  AccessRecord second;           // the one that found out; its thread waits for the reply
  MemoryRecord memory;
};
static_assert(sizeof(Race) == 48 + 3 * 48);

enum class Verdict : std::uint32_t { kReported = 1, kDuplicate = 2, kSuppressed = 3 };

struct Reply {
  std::uint32_t magic = kMagic;
  Verdict verdict = Verdict::kReported;
  std::uint32_t findings = 0;  // so far, of this process: sets the exit status
  std::uint32_t unused = 0;
};
static_assert(sizeof(Reply) == 16);

}  // namespace redflag::wire
