#include "frontends/cpu/collect/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/make_event.h"
#include "frontends/cpu/collect/record_testing.h"

namespace redflag::collect {
namespace {

using testing::as_bytes;
using testing::contexts;
using ::testing::ElementsAre;
using testing::events;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::modules;

std::vector<Event> all(RecordReader& reader) {
  std::vector<Event> found;
  while (const Event* event = reader.next()) found.push_back(*event);
  return found;
}

TEST(RecordReader, MergesThreadsBySequence) {
  const std::string bytes = events(0, {{1, make::fork(0, 1)}, {4, make::write(0, 0x10)}}) +
                            events(1, {{2, make::write(1, 0x20)}, {3, make::write(1, 0x30)}}) +
                            events(0, {{6, make::join(0, 1)}}) + events(1, {{5, make::end(1)}});
  RecordReader reader = RecordReader::over(as_bytes(bytes));
  EXPECT_EQ(reader.events_at_most(), 6U);
  const auto expected = ElementsAre(make::fork(0, 1), make::write(1, 0x20), make::write(1, 0x30),
                                    make::write(0, 0x10), make::end(1), make::join(0, 1));
  EXPECT_THAT(all(reader), expected);
  reader.rewind();
  EXPECT_THAT(all(reader), expected);
  EXPECT_EQ(reader.faults().text(), "");
}

TEST(RecordReader, ContextsAndMaps) {
  const std::string bytes = contexts({{1, 0, 0x100}, {2, 1, 0x200}}) + modules("one\n") +
                            contexts({{3, 2, 0x300}}) + modules("two\n");
  RecordReader reader = RecordReader::over(as_bytes(bytes));
  ASSERT_EQ(reader.contexts().size(), 3U);
  EXPECT_EQ(reader.contexts()[2].pc, 0x300U);
  EXPECT_THAT(reader.maps(), ElementsAre("one\n", "two\n"));
  EXPECT_THAT(all(reader), IsEmpty());
}

TEST(RecordReader, UsesWhatIsWholeOfACutFile) {
  const std::string bytes = events(0, {{1, make::write(0, 0x10)}, {2, make::write(0, 0x20)}});
  const std::size_t second = sizeof(wire::ChunkHeader) + sizeof(wire::RecordedEvent);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, second, second + 31}) {
    const std::string cut = bytes.substr(0, size);
    RecordReader reader = RecordReader::over(as_bytes(cut));
    EXPECT_EQ(all(reader).size(), size < second ? 0U : 1U) << size;
    EXPECT_EQ(reader.faults().cut_chunks, size == 0 ? 0U : 1U) << size;
  }
  // A chunk that was being begun is all zero, which is no fault.
  const std::string begun = bytes + std::string(wire::kChunkBytes, '\0');
  RecordReader reader = RecordReader::over(as_bytes(begun));
  EXPECT_EQ(all(reader).size(), 2U);
  EXPECT_EQ(reader.faults().text(), "");
}

TEST(RecordReader, LeavesOutWhatCannotBe) {
  wire::RecordedEvent odd{3, make::write(0, 0x10)};
  const auto unknown = static_cast<std::byte>(99);
  std::memcpy(static_cast<void*>(&odd.event.kind), &unknown, 1);
  const std::string bytes = events(0, {{1, make::write(0, 0x10)},
                                       {2, make::write(0, 0x10, 0)},
                                       odd,
                                       {9, make::write(0, 0x30)},
                                       {8, make::write(0, 0x40)},
                                       {9, make::write(0, 0x50)}});
  RecordReader reader = RecordReader::over(as_bytes(bytes));
  EXPECT_THAT(all(reader),
              ElementsAre(make::write(0, 0x10), make::write(0, 0x30), make::write(0, 0x50)));
  EXPECT_EQ(reader.faults().bad_events, 2U);
  EXPECT_EQ(reader.faults().out_of_order, 1U);
  EXPECT_THAT(reader.faults().text(), HasSubstr("2 impossible events, 1 events out of order"));
  reader.rewind();
  EXPECT_EQ(reader.faults().out_of_order, 0U) << "counted again by the next pass";
}

TEST(RecordReader, ForeignBytes) {
  const std::string bytes(3 * wire::kChunkBytes + 100, 'x');
  RecordReader reader = RecordReader::over(as_bytes(bytes));
  EXPECT_THAT(all(reader), IsEmpty());
  EXPECT_EQ(reader.faults().bad_chunks, 4U);
  EXPECT_THAT(RecordReader::open("/no/such/file").error().message, HasSubstr("/no/such/file"));
}

TEST(RecordReader, CountsBeyondTheChunkAreCut) {
  std::string bytes = events(0, {{1, make::write(0, 0x10)}});
  const std::uint32_t count = 0xffffffff;
  std::memcpy(bytes.data() + offsetof(wire::ChunkHeader, count), &count, sizeof(count));
  RecordReader reader = RecordReader::over(as_bytes(bytes));
  // What follows the one entry is zero: an access of no bytes.
  EXPECT_EQ(all(reader).size(), 1U);
  EXPECT_EQ(reader.faults().cut_chunks, 1U);
}

}  // namespace
}  // namespace redflag::collect
