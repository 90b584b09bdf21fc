#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/trace/gpu_mend.h"
#include "core/trace/gpu_reader.h"
#include "core/trace/gpu_writer.h"
#include "core/trace/reader.h"

namespace redflag {
namespace {

using ::testing::HasSubstr;

// Keeps what it is told as the bytes that the codec makes of it: equal bytes, equal steps.
class Kept final : public gpu::Sink {
 public:
  void launch_begins(const gpu::Launch& launch) override { rft::encode(launch, bytes); }
  void step(const gpu::Step& step) override {
    rft::encode(step, bytes);
    ++steps;
  }
  void launch_ends(gpu::LaunchId launch) override { rft::encode(rft::GpuLaunchEnd{launch}, bytes); }
  void host(const gpu::HostStep& step) override { rft::encode(step, bytes); }

  std::string bytes;
  int steps = 0;
};

// A program of everything that there is.
void tell(gpu::Sink& sink, int rounds = 1) {
  std::array<std::uint64_t, gpu::kWarp> address{};
  std::array<std::uint64_t, gpu::kWarp> value{};
  for (unsigned lane = 0; lane < gpu::kWarp; ++lane) {
    address[lane] = 0x7f0000001000 + 4 * lane;
    value[lane] = ~std::uint64_t{0} - lane;
  }
  sink.host({.kind = gpu::HostKind::kAlloc, .site = gpu::SiteId{9}, .address = 0x1000, .size = 64});
  gpu::Launch launch;
  launch.id = gpu::LaunchId{1};
  launch.kernel = "k(int*)";
  launch.grid = {2, 1, 1};
  launch.block = {40, 1, 1};
  launch.stream = gpu::StreamId{3};
  launch.cooperative = true;
  launch.sync.known = true;
  launch.sync.add(gpu::SyncOp::kBlockBarrier);
  launch.sync.add(gpu::SyncOp::kAllocation);
  sink.launch_begins(launch);
  for (int round = 0; round < rounds; ++round) {
    for (int kind = 0; kind < kStepKindCount; ++kind) {
      gpu::Step step;
      step.kind = static_cast<gpu::StepKind>(kind);
      step.order = static_cast<Order>(kind % kOrderCount);
      step.scope = static_cast<Scope>(kind % kScopeCount);
      step.op = gpu::RmwOp::kCompareSwap;
      step.is_volatile = kind % 2 == 0;
      step.aligned = kind % 3 == 0;
      step.space = kind % 5 == 0 ? gpu::Space::kShared : gpu::Space::kGlobal;
      step.size = 16;
      step.lanes = 0x80f0f0f1;
      step.converged = step.lanes;
      step.wrote = 0x00f00000;
      step.block = 1;
      step.site = gpu::SiteId{4};
      step.object = 3;
      step.round = static_cast<std::uint32_t>(round);
      step.expected = 64;
      step.instructions = kind % 3 == 1 ? 300 : 0;
      step.address = address.data();
      step.source = kind % 2 == 0 ? address.data() : value.data();
      step.value = kind % 4 == 0 ? nullptr : value.data();
      sink.step(step);
    }
  }
  sink.launch_ends(launch.id);
  for (int kind = 0; kind < kHostKindCount; ++kind) {
    sink.host({.kind = static_cast<gpu::HostKind>(kind),
               .waits = kind % 2 == 0,
               .host_thread = ThreadId{2},
               .stream = gpu::StreamId{5},
               .event = gpu::HostEventId{6},
               .address = 0xffff0000,
               .size = 12});
  }
}

std::string written(int rounds = 1) {
  std::string bytes;
  GpuTraceWriter writer(ByteSink(&bytes), [](gpu::SiteId site) {
    return std::vector<Frame>{{"f" + std::to_string(raw(site)), "a.cu", raw(site), 7}};
  });
  tell(writer, rounds);
  EXPECT_TRUE(writer.finish());
  return bytes;
}

Result<void> play_all(const std::string& bytes, gpu::Sink& sink) {
  Result<GpuTraceReader> reader = GpuTraceReader::from_bytes("t.rft", bytes);
  if (!reader) return Failure(reader.error());
  for (;;) {
    const Result<bool> more = reader->play(sink);
    if (!more) return Failure(more.error());
    if (!*more) return {};
  }
}

// Minor version 0: launches do not say what their kernel contains, and detectors are told so.
TEST(GpuTrace, OlderOnesAreRead) {
  gpu::Launch launch;
  launch.id = gpu::LaunchId{1};
  launch.cooperative = true;
  std::string bytes;
  GpuTraceWriter writer(ByteSink(&bytes), {});
  writer.launch_begins(launch);
  writer.launch_ends(launch.id);
  EXPECT_TRUE(writer.finish());
  rft::FileHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  EXPECT_EQ(header.flags, rft::kGpuFlags);
  header.flags = rft::kGpuFlag;
  header.check = rft::file_header_check(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  Kept kept, told;
  ASSERT_TRUE(play_all(bytes, kept));
  told.launch_begins(launch);
  told.launch_ends(launch.id);
  EXPECT_EQ(kept.bytes, told.bytes);
  Result<GpuTraceReader> reader = GpuTraceReader::from_bytes("t.rft", bytes);
  ASSERT_TRUE(reader && reader->play(kept));
  EXPECT_FALSE(reader->launches().at(gpu::LaunchId{1}).sync.known);
}

// Of a writer that was stopped anywhere: all whole blocks, and an end.
TEST(GpuTrace, WhatWasCutOffIsMended) {
  const std::string good = written(3000);
  std::vector<std::size_t> ends;  // of blocks
  for (std::size_t at = sizeof(rft::FileHeader); at < good.size();) {
    rft::BlockHeader header;
    std::memcpy(&header, good.data() + at, sizeof(header));
    at += sizeof(header) + header.stored_bytes;
    ends.push_back(at);
  }
  ASSERT_GE(ends.size(), 3U);
  const std::string path = ::testing::TempDir() + "/cut.rft";
  const auto mended = [&](std::size_t size) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << good.substr(0, size);
    const Result<void> done = mend_gpu_trace(path);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  int before = -1;
  for (const std::size_t end : ends) {
    for (const std::size_t size : {end - 1, end}) {
      const std::string bytes = mended(size);
      Kept found;
      const Result<void> played = play_all(bytes, found);
      EXPECT_TRUE(played) << (played ? "" : played.error().message);
      if (size == end && end != ends.back()) {
        EXPECT_GT(found.steps, before);
        before = found.steps;
      }
    }
  }
  EXPECT_EQ(mended(good.size()), good);
  Kept nothing;
  EXPECT_TRUE(play_all(mended(sizeof(rft::FileHeader)), nothing));
  EXPECT_EQ(nothing.steps, 0);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << good.substr(0, 7);
  EXPECT_FALSE(mend_gpu_trace(path)) << "not even a header";
}

TEST(GpuTrace, WhatIsWrittenIsRead) {
  for (const int rounds : {1, 3000}) {  // the second: several blocks
    Kept expected;
    tell(expected, rounds);
    Kept found;
    Result<GpuTraceReader> reader = GpuTraceReader::from_bytes("t.rft", written(rounds));
    ASSERT_TRUE(reader);
    for (Result<bool> more = true; *more;) {
      more = reader->play(found);
      ASSERT_TRUE(more) << more.error().message;
    }
    EXPECT_EQ(found.bytes, expected.bytes);
    EXPECT_EQ(reader->count(gpu::StepKind::kFence), static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(reader->count(gpu::HostKind::kAlloc), 2U);
    EXPECT_EQ(reader->launches().at(gpu::LaunchId{1}).kernel, "k(int*)");
    EXPECT_EQ(reader->frames(gpu::SiteId{4}), (std::vector<Frame>{{"f4", "a.cu", 4, 7}}));
    EXPECT_TRUE(reader->frames(gpu::SiteId{77}).empty());
  }
}

TEST(GpuTrace, EveryDamageIsFound) {
  const std::string whole = written();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    Kept sink;
    EXPECT_FALSE(play_all(changed, sink)) << "byte " << at;
    EXPECT_FALSE(play_all(whole.substr(0, at), sink)) << "cut at " << at;
  }
}

TEST(GpuTrace, ReadersOfThreadsSayWhatItIs) {
  Result<std::unique_ptr<EventReader>> reader = open_trace_bytes("t.rft", written());
  ASSERT_TRUE(reader);
  const Result<std::span<const Event>> batch = (*reader)->next();
  ASSERT_FALSE(batch);
  EXPECT_THAT(batch.error().message, HasSubstr("a trace of GPU kernels"));
}

struct Wrong {
  void (*tell)(gpu::Sink&);
  const char* said;
};

gpu::Launch small_launch(std::uint32_t id) {
  gpu::Launch launch;
  launch.id = gpu::LaunchId{id};
  launch.block = {8, 1, 1};
  return launch;
}

TEST(GpuTrace, StepsThatCannotBeAreRefused) {
  const std::vector<Wrong> all{
      {[](gpu::Sink& s) { s.step({}); }, "outside of every launch"},
      {[](gpu::Sink& s) {
         s.launch_begins(small_launch(1));
         gpu::Step step;
         step.kind = gpu::StepKind::kFence;
         step.lanes = 1U << 8;
         s.step(step);
       },
       "a lane that the warp has not"},
      {[](gpu::Sink& s) {
         s.launch_begins(small_launch(1));
         gpu::Step step;
         step.kind = gpu::StepKind::kFence;
         step.block = 1;
         s.step(step);
       },
       "a block that the grid has not"},
      {[](gpu::Sink& s) {
         s.launch_begins(small_launch(1));
         gpu::Step step;
         step.lanes = 1;
         s.step(step);
       },
       "without addresses"},
      {[](gpu::Sink& s) {
         s.launch_begins(small_launch(1));
         s.launch_begins(small_launch(2));
       },
       "before the one before has ended"},
      {[](gpu::Sink& s) { s.launch_ends(gpu::LaunchId{3}); }, "not on"},
      {[](gpu::Sink& s) {
         gpu::Launch launch = small_launch(1);
         launch.grid = {0x7fffffff, 65535, 65535};
         s.launch_begins(launch);
       },
       "2^31"},
  };
  for (const Wrong& wrong : all) {
    std::string bytes;
    GpuTraceWriter writer(ByteSink(&bytes), {});
    wrong.tell(writer);
    ASSERT_TRUE(writer.finish());
    Kept sink;
    const Result<void> played = play_all(bytes, sink);
    ASSERT_FALSE(played) << wrong.said;
    EXPECT_THAT(played.error().message, HasSubstr(wrong.said));
  }
}

}  // namespace
}  // namespace redflag
