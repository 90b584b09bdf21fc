#include "frontends/cpu/collect/record_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/model/make_event.h"
#include "core/trace/reader.h"
#include "frontends/cpu/collect/record_testing.h"
#include "frontends/cpu/wire/wire.h"

namespace redflag::collect {
namespace {

using testing::as_bytes;
using testing::contexts;
using ::testing::ElementsAre;
using testing::events;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::modules;
using ::testing::SizeIs;

struct Written {
  std::vector<Event> events;
  Sources sources;
  RecordedTrace result;
};

Written written(const std::string& bytes) {
  const std::string path =
      ::testing::TempDir() + "redflag_record_" + std::to_string(::getpid()) + ".rft";
  RecordReader reader = RecordReader::over(as_bytes(bytes));
  symbolize::Symbolizer symbolizer;
  Written made;
  {
    Result<std::unique_ptr<EventWriter>> writer = create_trace(path, TraceFormat::kRft);
    EXPECT_TRUE(writer);
    Result<RecordedTrace> result = write_recorded(reader, symbolizer, **writer);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    if (result) made.result = *result;
  }
  Result<std::unique_ptr<EventReader>> trace = open_trace(path);
  EXPECT_TRUE(trace) << trace.error().message;
  for (;;) {
    const Result<std::span<const Event>> batch = (*trace)->next();
    EXPECT_TRUE(batch) << batch.error().message;
    if (!batch || batch->empty()) break;
    made.events.insert(made.events.end(), batch->begin(), batch->end());
  }
  made.sources = (*trace)->sources();
  std::filesystem::remove(path);
  return made;
}

Event with_source(Event event, std::uint32_t source) {
  event.source = SourceId{source};
  return event;
}

// The address after a call in the middle of this function, where it stands in this process.
__attribute__((noinline)) std::uint64_t here_in_trace() {
  return reinterpret_cast<std::uint64_t>(
      __builtin_extract_return_addr(__builtin_return_address(0)));
}

std::string own_maps() {
  std::ifstream file("/proc/self/maps");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RecordTrace, ContextsBecomeNamedStacks) {
  const std::uint64_t pc = here_in_trace();
  const auto function = reinterpret_cast<std::uint64_t>(&here_in_trace) | wire::kExactPc;
  const Written made =
      written(events(0, {{1, with_source(make::write(0, 0x10), 2)}, {2, make::write(0, 0x20)}}) +
              contexts({{2, 1, function}, {1, 0, pc}, {3, 1, pc}}) + modules(own_maps()));
  ASSERT_THAT(made.events, SizeIs(2));
  const std::vector<Frame> stack = made.sources.stack(made.events[0].source);
  ASSERT_GE(stack.size(), 2U);
  EXPECT_THAT(stack.front().function, HasSubstr("here_in_trace"));
  bool has_this_file = false;
  for (const Frame& frame : stack) {
    has_this_file |= frame.file.ends_with("record_trace_test.cpp") ||
                     frame.function.find("ContextsBecomeNamedStacks") != std::string::npos;
  }
  EXPECT_TRUE(has_this_file);
  EXPECT_EQ(made.events[1].source, kNoSource);
  EXPECT_EQ(made.sources.thread_name(kMainThread), "main");
  EXPECT_EQ(made.result.events, 2U);
  // The third context is used by nobody, and so not defined.
  EXPECT_EQ(made.result.sources, stack.size());
}

int g_touched[4];

TEST(RecordTrace, GlobalVariablesAreNamed) {
  const auto address = reinterpret_cast<std::uint64_t>(&g_touched[1]);
  const Written made =
      written(events(0, {{1, make::write(0, address, 4)}, {2, make::write(0, 0x10)}}) +
              modules(own_maps()));
  const Region* region = made.sources.region_of(Addr{address});
  ASSERT_NE(region, nullptr);
  EXPECT_THAT(region->name, HasSubstr("g_touched"));
  EXPECT_GE(region->size, sizeof(g_touched));  // ASan pads globals
  EXPECT_EQ(region->kind, RegionKind::kGlobal);
  EXPECT_EQ(made.sources.regions().size(), 1U);
}

TEST(RecordTrace, BrokenContextsEndWhereTheyBreak) {
  const Written made = written(
      events(0, {{1, with_source(make::write(0, 0x10), 1)},
                 {2, with_source(make::write(0, 0x20), 3)},
                 {3, with_source(make::write(0, 0x30), 77)}}) +
      contexts({{1, 2, 0x100}, {2, 1, 0x200}, {3, 99, 0x300}, {0, 0, 0x400}, {3, 1, 0x500}}));
  ASSERT_THAT(made.events, SizeIs(3));
  EXPECT_THAT(made.sources.stack(made.events[0].source), SizeIs(2));
  EXPECT_THAT(made.sources.stack(made.events[1].source), SizeIs(1));
  EXPECT_EQ(made.events[2].source, kNoSource);
}

TEST(RecordTrace, NothingRecorded) {
  const Written made = written("");
  EXPECT_THAT(made.events, IsEmpty());
  EXPECT_EQ(made.result.lost, "");
}

TEST(RecordTrace, LossesAreTold) {
  const Written made = written(events(0, {{2, make::write(0, 0x10)}, {1, make::write(0, 0x10)}}));
  EXPECT_THAT(made.events, SizeIs(1));
  EXPECT_THAT(made.result.lost, HasSubstr("out of order"));
}

TEST(MergedMaps, NewerTextsWinWhereTheyOverlap) {
  const symbolize::ProcessMap map =
      merged_maps({"1000-3000 r-xp 00000000 08:01 1 /a\n5000-6000 r-xp 00000000 08:01 2 /b\n",
                   "2000-4000 r-xp 00000000 08:01 3 /c\n"});
  ASSERT_THAT(map.mappings, SizeIs(2));
  EXPECT_EQ(map.mappings[0].path, "/c");
  EXPECT_EQ(map.mappings[1].path, "/b");
}

TEST(MergedMaps, ALineMayGoOnInTheNextChunk) {
  const symbolize::ProcessMap map =
      merged_maps({"1000-3000 r-xp 00000000 08:01 1 /a\n5000-6000 r-xp 000", "00000 08:01 2 /b\n"});
  ASSERT_THAT(map.mappings, SizeIs(2));
  EXPECT_EQ(map.mappings[1].path, "/b");
  EXPECT_EQ(map.mappings[1].end, 0x6000U);
}

TEST(RecordedFiles, AreThoseOfThePrefix) {
  const std::string folder = ::testing::TempDir() + "redflag_files_" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  for (const auto& [name, size] : {std::pair("p.7", 3), std::pair("p.12", 9), std::pair("p.x", 1),
                                   std::pair("q.1", 1), std::pair("p.99999999999", 1)}) {
    std::ofstream(folder + "/" + name) << std::string(static_cast<std::size_t>(size), 'x');
  }
  std::vector<std::uint32_t> pids;
  for (const RecordedFile& file : recorded_files(folder + "/p")) pids.push_back(file.pid);
  EXPECT_THAT(pids, ElementsAre(12, 7));
  EXPECT_THAT(recorded_files(folder + "/none/p"), IsEmpty());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace redflag::collect
