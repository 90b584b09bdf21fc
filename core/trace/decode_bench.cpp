// How fast a trace is read: 10 million events of four threads walking arrays, written to memory as
// .rft and read back. The target is 12 ns per event for checksum, decompression and decoding.
//
//   decode_bench [million events]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/trace/reader.h"
#include "core/trace/rft_writer.h"

namespace redflag {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 5;

// Runs of about 50 events of one thread; accesses step through arrays, with a jump to another
// place, a lock or an atomic now and then, and come from a loop of a few source lines.
std::vector<Event> make_events(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<Event> events;
  events.reserve(count);
  std::uint64_t address[kThreads];
  for (int t = 0; t < kThreads; ++t) address[t] = 0x7f0000000000 + (std::uint64_t(t) << 24);
  while (events.size() < count) {
    const auto t = static_cast<std::uint32_t>(random() % kThreads);
    std::size_t run = std::min(count - events.size(), std::size_t(25 + random() % 50));
    if (random() % 4 == 0) address[t] = 0x7f0000000000 + random() % (1u << 28) / 8 * 8;
    for (; run > 0; --run) {
      const std::uint64_t dice = random() % 100;
      const auto line = static_cast<std::uint32_t>(1 + t * 100 + random() % 6);
      Event e{.thread = ThreadId{t}, .source = SourceId{line}};
      if (dice < 97) {
        e.kind = dice < 65 ? EventKind::kRead : EventKind::kWrite;
        e.object = address[t] += 8;
        e.size = dice % 8 == 0 ? 4 : 8;
        if (dice % 10 == 0) e.object -= 4096;
      } else {
        e.kind = dice == 97 ? EventKind::kAcquire : EventKind::kRelease;
        if (dice == 99) {
          e.kind = EventKind::kAtomicRmw;
          e.order = Order::kAcqRel;
          e.size = 8;
        }
        e.object = 0x601000 + random() % 16 * 64;
      }
      events.push_back(e);
    }
  }
  return events;
}

int run(std::size_t count) {
  using Clock = std::chrono::steady_clock;
  const std::vector<Event> events = make_events(count);
  std::string file;
  const auto writing = Clock::now();
  TraceWriter writer{ByteSink(&file)};
  if (!writer.append(events) || !writer.finish()) return 1;
  const double wrote = std::chrono::duration<double>(Clock::now() - writing).count();
  std::printf("write: %.1f M events/s, %.2f bytes per event\n", double(count) / wrote / 1e6,
              double(file.size()) / double(count));
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    Result<std::unique_ptr<EventReader>> reader = open_trace_bytes("bench", file);
    if (!reader) return 1;
    std::uint64_t read = 0, sum = 0;
    const auto start = Clock::now();
    for (;;) {
      const Result<std::span<const Event>> batch = (*reader)->next();
      if (!batch) return 1;
      if (batch->empty()) break;
      read += batch->size();
      sum += batch->back().object;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (read != count || sum == 0) return 1;
    best = std::max(best, double(count) / seconds);
  }
  std::printf("read: %.1f M events/s, %.2f ns per event (best of %d)\n", best / 1e6, 1e9 / best,
              kRounds);
  return 0;
}

}  // namespace
}  // namespace redflag

int main(int argc, char** argv) {
  const long millions = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 10;
  return redflag::run(static_cast<std::size_t>(std::clamp(millions, 1L, 1000L)) * 1000000);
}
