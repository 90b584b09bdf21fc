#include "core/trace/copy.h"

#include <gtest/gtest.h>

#include "core/trace/testing.h"

namespace redflag {
namespace {

using testing_trace::convert;
using testing_trace::Random;

// A random trace as text, definitions and events mixed.
std::string any_text_trace(std::uint64_t seed) {
  Random random(seed);
  std::string text;
  TextTraceWriter writer{ByteSink(&text)};
  for (const Definition& definition :
       testing_trace::any_definitions(random, static_cast<std::uint32_t>(random() % 40))) {
    EXPECT_TRUE(writer.define(definition));
    EXPECT_TRUE(writer.append(testing_trace::any_events(random, random() % 50)));
  }
  EXPECT_TRUE(writer.finish());
  return text;
}

TEST(CopyTrace, TextToRftToTextIsExact) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = any_text_trace(seed);
    const std::string binary = convert(text, TraceFormat::kRft);
    ASSERT_EQ(convert(binary, TraceFormat::kText), text);
    ASSERT_TRUE(convert(binary, TraceFormat::kRft) == binary);
  }
}

TEST(CopyTrace, CountsEventsAndPassesErrorsOn) {
  std::string out;
  {
    auto reader = open_trace_bytes("x", "T0 end\nT0 end\n");
    TraceWriter writer{ByteSink(&out)};
    EXPECT_EQ(copy_trace(**reader, writer).value(), 2u);
  }
  auto reader = open_trace_bytes("x", "T0 end\noops\n");
  TraceWriter writer{ByteSink(&out)};
  const Result<std::uint64_t> copied = copy_trace(**reader, writer);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().message.substr(0, 5), "x:2: ");
}

}  // namespace
}  // namespace redflag
