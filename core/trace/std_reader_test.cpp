#include "core/trace/std_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/make_event.h"
#include "core/trace/testing.h"

namespace redflag {
namespace {

using testing::HasSubstr;
using testing_trace::convert;
using testing_trace::read_all;

TEST(StdReader, NumbersNamesByFirstAppearance) {
  EXPECT_EQ(convert("main|fork(T12)|3\r\n"
                    "T12|begin(T12)|0\r\n"
                    "\r\n"
                    "T12|acq(L1)|7\r\n"
                    "T12|w(V1.2[3])|8\r\n"
                    "main|r(V1.2[3])|9\r\n"
                    "T12|rel(L1)|7\r\n"
                    "T12|w(17)|8\r\n"
                    "T12|end(T12)|0\r\n"
                    "main|join(T12)|10",
                    TraceFormat::kText),
            "redflag-trace 1\n"
            "thread 0 \"main\"\n"
            "source 1 \"\":3 \"\"\n"
            "thread 1 \"T12\"\n"
            "source 2 \"\":7 \"\"\n"
            "lock 0x1 \"L1\"\n"
            "source 3 \"\":8 \"\"\n"
            "region 0x10000000 8 unknown \"V1.2[3]\"\n"
            "source 4 \"\":9 \"\"\n"
            "region 0x10000008 8 unknown \"17\"\n"
            "source 5 \"\":10 \"\"\n"
            "T0 fork T1 @1\n"
            "T1 acquire 0x1 @2\n"
            "T1 write 0x10000000 8 @3\n"
            "T0 read 0x10000000 8 @4\n"
            "T1 release 0x1 @2\n"
            "T1 write 0x10000008 8 @3\n"
            "T1 end\n"
            "T0 join T1 @5\n");
}

TEST(StdReader, ThreadsMayAppearByThemselves) {
  const testing_trace::ReadTrace trace = read_all("T1|w(x)|1\nT0|w(x)|2\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_EQ(trace.events, (std::vector<Event>{make::write(0, kStdFirstAddress, 8, 1),
                                              make::write(1, kStdFirstAddress, 8, 2)}));
}

TEST(StdReader, NamesMayContainParentheses) {
  EXPECT_THAT(convert("T0|w(f(x).y)|1", TraceFormat::kText), HasSubstr("unknown \"f(x).y\""));
}

TEST(StdReader, LocksAndVariablesOfOneNameDiffer) {
  const testing_trace::ReadTrace trace = read_all("T0|acq(x)|1\nT0|w(x)|1\nT0|rel(x)|1\n");
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(trace.events[0].object, 1u);
  EXPECT_EQ(trace.events[1].object, kStdFirstAddress);
}

TEST(StdReader, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(read_all("T0|w(x)|1\nT0|branch(x)|2\n").error,
            "trace:2: found 'branch', expected one of the ops r, w, acq, rel, fork, join, begin, "
            "end");
  EXPECT_EQ(read_all("T0|w(x)|1\nT0|req(x)|2\n").error,
            "trace:2: found 'req', expected one of the ops r, w, acq, rel, fork, join, begin, end");
  EXPECT_EQ(read_all("T0|w(x)|1\nT0 w x\n").error,
            "trace:2: found 'T0 w x', expected thread|op(operand)|location");
  EXPECT_EQ(read_all("T0|w(x|1\n").error.substr(0, 14), "trace: byte 0:");
  EXPECT_EQ(read_all("T0|w(x)|1\nT0|w()|1\n").error,
            "trace:2: found 'w', expected an operand in parentheses after 'w'");
}

TEST(StdReader, LocationsMayBeNumbersPlacesOrWords) {
  const auto frame = [](const std::string& location) {
    const Result<std::unique_ptr<EventReader>> reader =
        open_trace_bytes("trace", "T0|w(x)|" + location + "\n");
    EXPECT_TRUE(reader && (*reader)->next());
    const Sources::Node* node = (*reader)->sources().node(SourceId{1});
    return node == nullptr ? Frame{} : node->frame;
  };
  EXPECT_EQ(frame("12"), (Frame{"", "", 12, 0}));
  EXPECT_EQ(frame("src/a.cpp:99"), (Frame{"", "src/a.cpp", 99, 0}));
  EXPECT_EQ(frame("src/a.cpp:99:7"), (Frame{"", "src/a.cpp", 99, 7}));
  EXPECT_EQ(frame("Main.run"), (Frame{"Main.run", "", 0, 0}));
  EXPECT_EQ(frame("4294967296"), (Frame{"4294967296", "", 0, 0})) << "too large for a line";
  EXPECT_EQ(frame("1:2"), (Frame{"", "1", 2, 0}));
  EXPECT_EQ(frame("0"), Frame{});
  EXPECT_EQ(frame(""), Frame{});
}

}  // namespace
}  // namespace redflag
