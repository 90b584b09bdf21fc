#include "core/trace/text_writer.h"

#include <gtest/gtest.h>

#include "core/model/make_event.h"
#include "core/trace/testing.h"

namespace redflag {
namespace {

TEST(TextWriter, Golden) {
  std::string text;
  TextTraceWriter writer{ByteSink(&text)};
  ASSERT_TRUE(writer.define(SourceDefinition{SourceId{1}, kNoSource, {"main", "main.cpp", 12, 3}}));
  ASSERT_TRUE(
      writer.define(SourceDefinition{SourceId{2}, SourceId{1}, {"worker", "main.cpp", 30, 0}}));
  ASSERT_TRUE(writer.define(SourceDefinition{SourceId{3}, kNoSource, {}}));
  ASSERT_TRUE(writer.define(ThreadName{ThreadId{1}, "a \"b\"\\\n\x01\xc3\xa9"}));
  ASSERT_TRUE(writer.define(LockName{LockId{0x10}, "m"}));
  ASSERT_TRUE(
      writer.define(Region{Addr{0x1000}, 8, RegionKind::kThreadLocal, "counter", SourceId{2}}));
  Event device = make::rmw(0, 0x2000, Order::kAcqRel, 4);
  device.scope = Scope::kDevice;
  device.source = SourceId{1};
  const std::vector<Event> events{make::fork(0, 1),
                                  make::write(0, 0x1000, 4, 2),
                                  make::volatile_read(1, 0x1004, 4),
                                  make::acquire(0, 0x10),
                                  make::load(0, 0x2000, Order::kAcquire),
                                  device,
                                  make::fence(0, Order::kSeqCst),
                                  make::barrier_exit(0, 0x30),
                                  make::free(0, 64, 100),
                                  make::work(0, 1234),
                                  make::end(0)};
  ASSERT_TRUE(writer.append(events));
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(text,
            "redflag-trace 1\n"
            "source 1 \"main.cpp\":12:3 \"main\"\n"
            "source 2 \"main.cpp\":30 \"worker\" caller 1\n"
            "source 3 \"\" \"\"\n"
            "thread 1 \"a \\\"b\\\"\\\\\\n\\x01\xc3\xa9\"\n"
            "lock 0x10 \"m\"\n"
            "region 0x1000 8 thread-local \"counter\" @2\n"
            "T0 fork T1\n"
            "T0 write 0x1000 4 @2\n"
            "T1 read 0x1004 4 volatile\n"
            "T0 acquire 0x10\n"
            "T0 atomic-load 0x2000 8 acquire\n"
            "T0 atomic-rmw 0x2000 4 acq_rel scope=device @1\n"
            "T0 fence seq_cst\n"
            "T0 barrier-exit 0x30\n"
            "T0 free 0x40 100\n"
            "T0 work 1234\n"
            "T0 end\n");
}

TEST(TextWriter, LongestNamesCanBeReadBack) {
  const std::string name(kMaxNameBytes, '\x01');  // four bytes each as text
  const Definition source = SourceDefinition{SourceId{1}, kNoSource, {name, name, 1, 1}};
  const testing_trace::ReadTrace trace = testing_trace::read_all(to_text(source) + "\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_TRUE(trace.definitions == std::vector<Definition>{source});
}

}  // namespace
}  // namespace redflag
