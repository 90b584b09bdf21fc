#include "core/trace/summary.h"

#include <gtest/gtest.h>

#include "core/model/make_event.h"

namespace redflag {
namespace {

TEST(TraceSummary, CountsWhatIsThere) {
  const std::vector<Event> events{make::fork(0, 5),
                                  make::write(0, 0x1000, 4, 1),
                                  make::read(0, 0x2000, 8, 2),
                                  make::read(1, 0x2000, 8, 1),
                                  make::acquire(0, 7),
                                  make::release(0, 7),
                                  make::acquire(1, 8),
                                  make::barrier_enter(1, 7),
                                  make::alloc(0, 0x500, 16),
                                  make::work(1, 40),
                                  make::work(0, 7),
                                  make::work(1, 2)};
  TraceSummary summary;
  summary.add(std::span(events).first(3));
  summary.add(std::span(events).subspan(3));
  const TraceInfo info = summary.info();
  EXPECT_EQ(info.events, events.size());
  EXPECT_EQ(info.per_kind[static_cast<std::size_t>(EventKind::kRead)], 2u);
  EXPECT_EQ(info.per_kind[static_cast<std::size_t>(EventKind::kAcquire)], 2u);
  EXPECT_EQ(info.threads, 3u);
  EXPECT_EQ(info.locks, 2u);
  EXPECT_EQ(info.barriers, 1u);
  EXPECT_EQ(info.sources, 2u);
  EXPECT_EQ(info.accessed_bytes, 20u);
  EXPECT_EQ(info.lowest, Addr{0x500});
  EXPECT_EQ(info.highest, Addr{0x2007});
  EXPECT_EQ(info.bytes_per_event(24), 2.0);
  const std::map<ThreadId, std::uint64_t> instructions{{ThreadId{0}, 7}, {ThreadId{1}, 42}};
  EXPECT_EQ(info.instructions, instructions);
  EXPECT_EQ(info.all_instructions(), 49u);
}

TEST(TraceSummary, OfNothing) {
  EXPECT_EQ(TraceSummary().info(), TraceInfo());
  EXPECT_EQ(TraceInfo().bytes_per_event(100), 0.0);
}

}  // namespace
}  // namespace redflag
