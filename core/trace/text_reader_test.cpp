#include "core/trace/text_reader.h"

#include <gtest/gtest.h>

#include "core/model/make_event.h"
#include "core/trace/testing.h"

namespace redflag {
namespace {

using testing_trace::read_all;
using testing_trace::ReadTrace;

TEST(TextReader, ReadsTheExampleOfTheDocumentation) {
  const ReadTrace trace = read_all(
      "# a small one\n"
      "redflag-trace 1\n"
      "source 1 \"main.cpp\":12:3 \"main\"\n"
      "source 2 \"main.cpp\":30 \"worker\" caller 1\n"
      "thread 1 \"worker\"\n"
      "lock 0x10 \"m\"\n"
      "region 0x1000 8 global \"counter\" @2\n"
      "\n"
      "T0 fork T1\n"
      "T0 write 0x1000 4 @2   # the write\n"
      "T1 read 0x1004 4 volatile\r\n"
      "\tT0 acquire 16 @1\n"
      "T0 atomic-store 0x2000 4 release\n"
      "T0 atomic-rmw 0x2000 4 scope=device acq_rel\n"
      "T0 fence seq_cst\n"
      "T0 barrier-enter 0x30\n"
      "T0 end");
  ASSERT_EQ(trace.error, "");
  Event acquire = make::acquire(0, 0x10);
  acquire.source = SourceId{1};
  Event device = make::rmw(0, 0x2000, Order::kAcqRel, 4);
  device.scope = Scope::kDevice;
  EXPECT_EQ(trace.events,
            (std::vector<Event>{
                make::fork(0, 1), make::write(0, 0x1000, 4, 2), make::volatile_read(1, 0x1004, 4),
                acquire, make::store(0, 0x2000, Order::kRelease, 4), device,
                make::fence(0, Order::kSeqCst), make::barrier_enter(0, 0x30), make::end(0)}));
  ASSERT_EQ(trace.definitions.size(), 5u);
  EXPECT_EQ(trace.definitions[1],
            Definition(SourceDefinition{SourceId{2}, SourceId{1}, {"worker", "main.cpp", 30, 0}}));
  EXPECT_EQ(trace.definitions[4],
            Definition(Region{Addr{0x1000}, 8, RegionKind::kGlobal, "counter", SourceId{2}}));
}

TEST(TextReader, ADefinitionEndsABatch) {
  auto reader = open_trace_bytes("x", "T0 read 1 1\nlock 1 \"m\"\nT0 acquire 1\nlock 2 \"n\"\n");
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->next()->size(), 1u);
  EXPECT_TRUE((*reader)->definitions().empty());
  EXPECT_EQ((*reader)->next()->size(), 1u);
  EXPECT_EQ((*reader)->definitions().size(), 1u);
  EXPECT_EQ((*reader)->next()->size(), 0u);
  EXPECT_EQ((*reader)->definitions().size(), 1u);
  EXPECT_EQ((*reader)->sources().lock_name(LockId{2}), "n");
  EXPECT_EQ((*reader)->next()->size(), 0u);
}

TEST(TextReader, ReadsManyBatches) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "T0 read 0x1000 4\n";
  EXPECT_EQ(read_all(text).events.size(), 10000u);
}

std::string error_of(const std::string& line) {
  const Result<TextLine> parsed = parse_text_line(line);
  return parsed ? "" : parsed.error().message;
}

TEST(TextLine, EveryKindByItsName) {
  for (const EventKindInfo& kind : kEventKinds) {
    std::string line = "T1 " + std::string(kind.name);
    if (kind.operand == Operand::kMemory) line += " 0x10 8";
    if (kind.operand == Operand::kLock || kind.operand == Operand::kBarrier) line += " 0x10";
    if (kind.operand == Operand::kThread) line += " T2";
    if (kind.operand == Operand::kCount) line += " 12";
    if (kind.has_order) line += " seq_cst";
    const Result<TextLine> parsed = parse_text_line(line);
    ASSERT_TRUE(parsed) << line << ": " << parsed.error().message;
    EXPECT_EQ(std::get<Event>(*parsed).kind, kind.kind);
  }
}

TEST(TextLine, SaysWhatWasFoundAndExpected) {
  EXPECT_EQ(error_of("hello"),
            "found 'hello', expected T<n> and an event, or one of source, thread, lock, region");
  EXPECT_EQ(error_of("redflag-trace 2"), "found '2', expected version 1 of the text form");
  EXPECT_EQ(error_of("Tx read 1 1"), "found 'x', expected a thread, T0 to T16777215");
  EXPECT_EQ(error_of("T16777216 end"), "found '16777216', expected a thread, T0 to T16777215");
  EXPECT_EQ(error_of("T0 reads 1 1"),
            "found 'reads', expected a kind of event such as read, write, acquire, release, fork, "
            "join");
  EXPECT_EQ(error_of("T0 read 0xg 1"), "found '0xg', expected an address");
  EXPECT_EQ(error_of("T0 read 1"),
            "found the end of the line, expected a size in bytes, 1 to 2^31");
  EXPECT_EQ(error_of("T0 read 1 0"), "size 0, expected 1 or more bytes");
  EXPECT_EQ(error_of("T0 read 0xffffffffffffffff 1"),
            "address plus size wraps, expected a range below 2^64");
  EXPECT_EQ(error_of("T0 read 0x10000000000000000 1"),
            "found '0x10000000000000000', expected an address");
  EXPECT_EQ(error_of("T0 read 1 1 acquire"), "a memory order where this kind has none");
  EXPECT_EQ(error_of("T0 fence"),
            "no memory order, expected one of relaxed, acquire, release, acq_rel, seq_cst");
  EXPECT_EQ(error_of("T0 acquire 1 volatile"), "volatile, which this kind cannot be");
  EXPECT_EQ(error_of("T0 read 1 1 scope=galaxy"),
            "found 'scope=galaxy', expected scope= and one of system, device, cluster, block, "
            "warp");
  EXPECT_EQ(error_of("T0 fence acquire release"),
            "found 'release', expected an order, scope=, volatile, @source, each once, or the end "
            "of the line");
  EXPECT_EQ(error_of("T0 read 1 1 @x"), "found 'x', expected @ and the number of a source");
  EXPECT_EQ(error_of("T0 fork 1"), "found '1', expected a thread, T0 to T16777215");
  EXPECT_EQ(error_of("source 0 \"a\" \"b\""), "source 0, which means unknown; expected 1 or more");
  EXPECT_EQ(error_of("source 1 a \"b\""), "found 'a', expected the file in quotes");
  EXPECT_EQ(error_of("source 1 \"a\":x \"b\""), "found 'x', expected a line number after ':'");
  EXPECT_EQ(error_of("source 1 \"a"), "a string without its closing quote");
  EXPECT_EQ(error_of("thread 1 \"\\q\""),
            "found '\\q', expected one of the escapes \\\" \\\\ \\n \\t \\r \\xNN");
  EXPECT_EQ(error_of("thread 1 \"\\xg0\""),
            "found '\\xg0', expected two hexadecimal digits after \\x");
  EXPECT_EQ(error_of("lock 1 \"a\" b"), "found 'b', expected the end of the line");
  EXPECT_EQ(error_of("region 1 1 rom \"x\""),
            "found 'rom', expected one of unknown, global, heap, stack, thread-local, "
            "shared, device");
  EXPECT_EQ(error_of("region 1 0 heap \"x\""), "region of size 0, expected 1 or more bytes");
}

TEST(TextReader, ErrorsNameTheLine) {
  EXPECT_EQ(read_all("redflag-trace 1\nT0 end\nT0 dance\n").error,
            "trace:3: found 'dance', expected a kind of event such as read, write, acquire, "
            "release, fork, join");
  EXPECT_EQ(read_all("T0 end\nsource 2 \"\" \"\" caller 1\n").error,
            "trace:2: the caller of a source is not defined, expected its definition before");
}

}  // namespace
}  // namespace redflag
