#include "core/generate/workload.h"

#include <algorithm>
#include <string>

#include "core/model/make_event.h"

namespace redflag {
namespace {

constexpr std::uint64_t kArrays = 0x100000000;  // two arrays of half the working set each
constexpr std::uint64_t kTable = 0x300000000;   // read by all
constexpr std::uint64_t kTableWords = 4096;
constexpr std::uint64_t kBuckets = 0x400000000;
constexpr std::uint64_t kBucketBytes = 64;
constexpr std::uint64_t kLocks = 0x500000000;
constexpr std::uint64_t kBarrier = 0x600000000;
constexpr std::uint32_t kRun = 64;  // steps of one thread before another has its turn

// Lines of the program that the trace pretends to come from; source ids are 1 + the position here.
enum Line : std::uint32_t {
  kMain,
  kReadLeft,
  kReadHere,
  kReadTable,
  kWriteOut,
  kInit,
  kLock,
  kFind,
  kBump
};
struct LineInfo {
  const char* file;
  std::uint32_t line;
  const char* function;
};
constexpr std::array<LineInfo, 9> kLines{{{"main.cpp", 12, "main"},
                                          {"sweep.cpp", 31, "sweep"},
                                          {"sweep.cpp", 32, "sweep"},
                                          {"sweep.cpp", 33, "sweep"},
                                          {"sweep.cpp", 36, "sweep"},
                                          {"main.cpp", 7, "init"},
                                          {"table.cpp", 18, "Table::update"},
                                          {"table.cpp", 22, "Table::find"},
                                          {"table.cpp", 27, "Table::bump"}}};

Event at(Line line, Event e) {
  e.source = SourceId{static_cast<std::uint32_t>(line) + 1};
  return e;
}

}  // namespace

struct Workload::Worker {
  std::uint32_t id = 0;
  std::uint64_t word = 0;  // next of its part
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool waiting = false;
};

Workload::Workload(const WorkloadOptions& options) : options_(options), random_(options.seed) {
  options_.threads = std::max(options_.threads, 1U);
  const std::uint64_t words =
      std::max<std::uint64_t>(options_.working_set / 16, std::uint64_t{8} * options_.threads);
  for (std::uint32_t i = 0; i < options_.threads; ++i) {
    Worker w;
    w.id = i + 1;
    w.first = words * i / options_.threads;
    w.end = words * (i + 1) / options_.threads;
    w.word = w.first;
    workers_.push_back(w);
  }
  begin();
}

Workload::~Workload() = default;

std::size_t Workload::fill(std::span<Event> into) {
  std::size_t n = 0;
  while (n < into.size()) {
    if (ready_.empty()) {
      if (finished_) break;
      more();
      continue;
    }
    into[n++] = ready_.front();
    ready_.pop_front();
    ++made_;
  }
  return n;
}

// The main thread initialises what the workers share, then forks them.
void Workload::begin() {
  if (options_.profile == Profile::kHighRedundancy) {
    for (std::uint64_t i = 0; i < kTableWords; ++i) put(at(kInit, make::write(0, kTable + 8 * i)));
  }
  for (const Worker& w : workers_) put(at(kMain, make::fork(0, w.id)));
}

void Workload::more() {
  if (made_ >= options_.events) return finish();
  // One worker's turn; those that wait at the barrier have none.
  std::uint32_t i = static_cast<std::uint32_t>(random_.below(workers_.size()));
  while (workers_[i].waiting) i = (i + 1) % static_cast<std::uint32_t>(workers_.size());
  turn(workers_[i]);
}

void Workload::turn(Worker& w) {
  for (std::uint32_t step = 0; step < kRun && !w.waiting; ++step) {
    if (options_.profile == Profile::kHighRedundancy) {
      array_step(w);
    } else {
      table_step(w);
    }
  }
}

// out[i] = f(in[i - 1], in[i], table[k]): in is what was written in the phase before.
void Workload::array_step(Worker& w) {
  const std::uint64_t half = options_.working_set / 2;
  const std::uint64_t in = kArrays + (phase_ % 2) * half;
  const std::uint64_t out = kArrays + ((phase_ + 1) % 2) * half;
  const std::uint64_t i = w.word++;
  if (i > 0) put(at(kReadLeft, make::read(w.id, in + 8 * (i - 1))));
  put(at(kReadHere, make::read(w.id, in + 8 * i)));
  put(at(kReadTable, make::read(w.id, kTable + 8 * (i * 7 % kTableWords))));
  put(at(kWriteOut, make::write(w.id, out + 8 * i)));
  if (w.word < w.end) return;
  w.word = w.first;
  w.waiting = true;
  put(at(kMain, make::barrier_enter(w.id, kBarrier)));
  if (++at_barrier_ < workers_.size()) return;
  at_barrier_ = 0;
  ++phase_;
  for (Worker& other : workers_) {
    other.waiting = false;
    put(at(kMain, make::barrier_exit(other.id, kBarrier)));
  }
}

void Workload::table_step(Worker& w) {
  const std::uint64_t buckets = std::max<std::uint64_t>(options_.working_set / kBucketBytes, 1);
  const std::uint64_t bucket = random_.below(buckets);
  const std::uint64_t base = kBuckets + bucket * kBucketBytes;
  const std::uint64_t lock = kLocks + 64 * (bucket % 4096);
  put(at(kLock, make::acquire(w.id, lock)));
  for (std::uint64_t i = 0, n = 2 + random_.below(4); i < n; ++i) {
    put(at(kFind, make::read(w.id, base + 8 * i)));
  }
  put(at(kBump, make::write(w.id, base + 8 * random_.below(8))));
  put(at(kLock, make::release(w.id, lock)));
}

void Workload::finish() {
  finished_ = true;
  for (const Worker& w : workers_) put(at(kMain, make::join(0, w.id)));
}

Sources Workload::sources(const WorkloadOptions& options) {
  Sources names;
  for (std::uint32_t i = 0; i < kLines.size(); ++i) {
    names.define(SourceId{i + 1}, Frame{kLines[i].function, kLines[i].file, kLines[i].line, 0});
  }
  names.name_thread(kMainThread, "main");
  for (std::uint32_t i = 1; i <= options.threads; ++i) {
    names.name_thread(ThreadId{i}, "worker " + std::to_string(i));
  }
  if (options.profile == Profile::kHighRedundancy) {
    const std::uint64_t half = options.working_set / 2;
    names.add_region({Addr{kArrays}, half, RegionKind::kHeap, "grid[0]", SourceId{kInit + 1}});
    names.add_region(
        {Addr{kArrays + half}, half, RegionKind::kHeap, "grid[1]", SourceId{kInit + 1}});
    names.add_region({Addr{kTable}, 8 * kTableWords, RegionKind::kGlobal, "weights", kNoSource});
  } else {
    names.add_region(
        {Addr{kBuckets}, options.working_set, RegionKind::kHeap, "buckets", SourceId{kInit + 1}});
  }
  return names;
}

}  // namespace redflag
