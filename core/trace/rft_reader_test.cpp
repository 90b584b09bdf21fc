#include "core/trace/rft_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/make_event.h"
#include "core/trace/format.h"
#include "core/trace/testing.h"

namespace redflag {
namespace {

using testing::HasSubstr;
using testing_trace::any_definitions;
using testing_trace::any_events;
using testing_trace::Random;
using testing_trace::read_all;
using testing_trace::ReadTrace;
using testing_trace::to_rft;

std::string small_trace() {
  Random random(5);
  return to_rft(any_definitions(random, 3), any_events(random, 40));
}

template <typename T>
T get(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

template <typename T>
void put(std::string& bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

constexpr std::size_t kFirstBlock = sizeof(rft::FileHeader);

// Changes the header of the first block and makes its checksum right again.
template <typename Change>
std::string with_first_block(std::string bytes, Change change) {
  auto header = get<rft::BlockHeader>(bytes, kFirstBlock);
  change(header);
  const std::size_t payload = kFirstBlock + sizeof(header);
  bytes.resize(std::max(bytes.size(), payload + header.stored_bytes));
  header.checksum = rft::block_checksum(header, bytes.data() + payload, kFirstBlock);
  put(bytes, kFirstBlock, header);
  return bytes;
}

TEST(RftReader, GivesBackRandomTraces) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<Definition> definitions = any_definitions(random, random() % 200);
    const std::vector<Event> events = any_events(random, random() % 50000);
    const ReadTrace trace = read_all(to_rft(definitions, events));
    ASSERT_EQ(trace.error, "");
    ASSERT_TRUE(trace.events == events);
    ASSERT_TRUE(trace.definitions == definitions);
  }
}

TEST(RftReader, EmptyTrace) {
  const ReadTrace trace = read_all(to_rft({}, {}));
  EXPECT_EQ(trace.error, "");
  EXPECT_TRUE(trace.events.empty());
}

TEST(RftReader, EveryChangedByteIsFound) {
  const std::string good = small_trace();
  const ReadTrace whole = read_all(good);
  ASSERT_EQ(whole.error, "");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      const ReadTrace trace = read_all(bad);
      ASSERT_NE(trace.error, "") << "byte " << at << " flip " << flip;
      // Blocks before the damage may have been read, and they are right.
      ASSERT_LE(trace.events.size(), whole.events.size());
      ASSERT_TRUE(std::equal(trace.events.begin(), trace.events.end(), whole.events.begin()));
    }
  }
}

TEST(RftReader, EveryTruncationIsFoundAndPlaced) {
  const std::string good = small_trace();
  for (std::size_t size = 1; size < good.size(); ++size) {
    const ReadTrace trace = read_all(good.substr(0, size));
    ASSERT_THAT(trace.error, HasSubstr("byte " + std::to_string(size) + ": the file ends"));
  }
}

TEST(RftReader, FailsAgainAfterAFailure) {
  const std::string good = small_trace();
  auto reader = open_trace_bytes("x.rft", good.substr(0, good.size() - 1));
  ASSERT_TRUE(reader);
  std::string first;
  for (int i = 0; i < 5; ++i) {
    const auto batch = (*reader)->next();
    if (batch) continue;
    if (first.empty()) first = batch.error().message;
    EXPECT_EQ(batch.error().message, first);
  }
  EXPECT_THAT(first, HasSubstr("x.rft: byte "));
}

// Version 1 has all kinds of events but the last.
TEST(RftReader, ReadsVersionOne) {
  const auto in_version_one = [](std::string bytes) {
    rft::FileHeader header{.magic = {}, .version = 1, .flags = 0, .check = 0};
    std::memcpy(header.magic, rft::kMagic.data(), sizeof(header.magic));
    header.check = rft::file_header_check(header);
    put(bytes, 0, header);
    return bytes;
  };
  std::vector<Event> events{make::write(0, 0x10, 4), make::fork(0, 1), make::free(1, 0x20, 64)};
  const ReadTrace old = read_all(in_version_one(to_rft({}, events)));
  EXPECT_EQ(old.error, "");
  EXPECT_EQ(old.events, events);
  events.push_back(make::work(0, 3));
  EXPECT_EQ(read_all(to_rft({}, events)).events, events);
  EXPECT_THAT(read_all(in_version_one(to_rft({}, events))).error,
              HasSubstr("unknown kind of event"));
}

TEST(RftReader, RefusesOtherVersionsAndFlags) {
  std::string bytes = small_trace();
  put(bytes, 8, std::uint16_t{3});
  EXPECT_EQ(
      read_all(bytes).error,
      "trace: byte 8: format version 3 found, this program reads versions 1 to 2; convert the "
      "trace with the program that wrote it");
  bytes = small_trace();
  put(bytes, 10, std::uint16_t{2});
  EXPECT_EQ(read_all(bytes).error, "trace: byte 10: unknown flags set, expected 0, 1 or 3");
  rft::FileHeader header{.magic = {}, .version = rft::kVersion, .flags = rft::kGpuFlag, .check = 0};
  std::memcpy(header.magic, rft::kMagic.data(), sizeof(header.magic));
  header.check = rft::file_header_check(header);
  put(bytes, 0, header);
  EXPECT_THAT(read_all(bytes).error, HasSubstr("byte 10: a trace of GPU kernels"));
}

TEST(RftReader, RefusesWhatFollowsTheEnd) {
  const std::string bytes = small_trace();
  EXPECT_EQ(read_all(bytes + "x").error,
            "trace: byte " + std::to_string(bytes.size()) + ": bytes behind the end of the trace");
}

TEST(RftReader, RefusesMissingAndRepeatedBlocks) {
  // Three event blocks, all of the same shape.
  std::vector<Event> events(3 * rft::kEventsPerBlock, make::read(0, 0x1000, 4));
  const std::string good = to_rft({}, events);
  const auto header = get<rft::BlockHeader>(good, kFirstBlock);
  const std::size_t block = sizeof(header) + header.stored_bytes;
  EXPECT_EQ(read_all(good).error, "");
  std::string without = good;
  without.erase(kFirstBlock, block);
  EXPECT_THAT(read_all(without).error, HasSubstr("checksum of the block does not match"));
  // Even with checksums made right for their new place.
  const std::string moved = with_first_block(without, [](rft::BlockHeader&) {});
  EXPECT_THAT(read_all(moved).error,
              HasSubstr("block starts at number 16384, expected 0: a block is missing"));
}

TEST(RftReader, RefusesWrongTotals) {
  std::string bytes = to_rft({}, {make::read(0, 0x1000, 4)});
  const std::size_t end = bytes.size() - sizeof(rft::Totals) - sizeof(rft::BlockHeader);
  auto totals = get<rft::Totals>(bytes, bytes.size() - sizeof(rft::Totals));
  ++totals.blocks;
  put(bytes, bytes.size() - sizeof(totals), totals);
  auto header = get<rft::BlockHeader>(bytes, end);
  header.checksum = rft::block_checksum(header, &totals, end);
  put(bytes, end, header);
  EXPECT_THAT(read_all(bytes).error, HasSubstr("but 1, 0 and 1 were read: a block is missing"));
}

TEST(RftReader, HostileLengths) {
  const std::string good = to_rft({}, std::vector<Event>(500, make::read(0, 0x1000, 4)));
  const auto header = get<rft::BlockHeader>(good, kFirstBlock);
  ASSERT_EQ(header.codec, rft::Codec::kZstd);
  const auto error_with = [&](auto change) {
    return read_all(with_first_block(good, change)).error;
  };
  EXPECT_THAT(error_with([](rft::BlockHeader& h) { h.raw_bytes += 1; }), HasSubstr("expected 1"));
  EXPECT_THAT(error_with([](rft::BlockHeader& h) { h.raw_bytes -= 1; }),
              HasSubstr("block does not decompress"));
  EXPECT_THAT(error_with([](rft::BlockHeader& h) { h.count -= 1; }),
              HasSubstr("bytes behind the last event"));
  EXPECT_THAT(error_with([](rft::BlockHeader& h) { h.count += 1; }),
              HasSubstr("the block ends before this event"));
  EXPECT_THAT(error_with([](rft::BlockHeader& h) {
                h.type = rft::BlockType::kDefinitions;
                h.count = 1;
              }),
              HasSubstr("definition 0 of this block (raw byte 0)"));
  std::string huge = good;
  auto big = header;
  big.stored_bytes = big.raw_bytes = 0xffffffff;
  put(huge, kFirstBlock, big);
  EXPECT_THAT(read_all(huge).error, HasSubstr("byte 16: block header with raw size above"));
}

TEST(RftReader, RefusesACallerThatIsNotDefined) {
  std::string bytes = to_rft({SourceDefinition{SourceId{1}, kNoSource, {"f", "f.c", 1, 0}},
                              SourceDefinition{SourceId{9}, SourceId{1}, {"g", "f.c", 2, 0}}},
                             {});
  const std::size_t payload = kFirstBlock + sizeof(rft::BlockHeader);
  ASSERT_EQ(get<rft::BlockHeader>(bytes, kFirstBlock).codec, rft::Codec::kStored);
  ASSERT_EQ(bytes[payload + 1], 1);
  bytes[payload + 1] = 2;  // source 1 becomes source 2
  bytes = with_first_block(bytes, [](rft::BlockHeader&) {});
  EXPECT_THAT(read_all(bytes).error, HasSubstr("the caller of a source is not defined"));
}

TEST(RftReader, ReadsFromAFileAndTellsProgress) {
  testing_trace::TemporaryFolder folder;
  Random random(8);
  const std::vector<Event> events = any_events(random, 100000);
  auto writer = TraceWriter::create(folder.file("run.rft"));
  ASSERT_TRUE(writer && writer->append(events) && writer->finish());
  auto reader = open_trace(folder.file("run.rft"));
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->format_name(), "rft");
  std::vector<Event> read;
  for (;;) {
    const auto batch = (*reader)->next();
    ASSERT_TRUE(batch) << batch.error().message;
    if (batch->empty()) break;
    read.insert(read.end(), batch->begin(), batch->end());
    EXPECT_LE((*reader)->position(), (*reader)->size());
  }
  EXPECT_TRUE(read == events);
  EXPECT_EQ((*reader)->position(), (*reader)->size());
}

}  // namespace
}  // namespace redflag
