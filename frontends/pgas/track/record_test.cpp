#include "frontends/pgas/track/record.h"

#include <gtest/gtest.h>

namespace redflag::pgas {
namespace {

Knowledge some_knowledge() {
  Knowledge known;
  known.enter(3, {{2, 1}});
  known.learn({2, 1}, 9);
  known.learn({5, 0}, 70);
  known.learn(delivery(1, 4), 8);
  return known;
}

Record some_record(std::uint64_t operation) {
  Record made;
  made.window = 0x100000001;
  made.displacement = -3;
  made.piece = {16, 32};
  made.kind = AccessKind::kAccumulate;
  made.atomicity = {7, 3, 8, true};
  made.by = {1, 2};
  made.operation = operation;
  made.completed = {3, 44};
  made.completed_by = {1, 0};
  made.delivered = {3, 40};
  made.delivered_by = delivery(1, 4);
  made.issued = std::make_shared<const Knowledge>(some_knowledge());
  return made;
}

struct Read {
  std::vector<Record> records;
  std::vector<Completion> completions;
  bool ok = false;
};

Read read_back(std::span<const std::byte> bytes, Sources& sources) {
  Read all;
  BatchReader reader;
  reader.sources = &sources;
  reader.record = [&](Record record) { all.records.push_back(std::move(record)); };
  reader.completion = [&](std::uint32_t rank, const Completion& done) {
    EXPECT_EQ(rank, 1U);
    all.completions.push_back(done);
  };
  all.ok = reader.read(1, bytes);
  return all;
}

TEST(KnowledgeBytes, ComeBackAsTheyWere) {
  Bytes bytes;
  write_knowledge(some_knowledge(), bytes);
  Reader in(bytes);
  EXPECT_EQ(read_knowledge(in), some_knowledge());
  EXPECT_TRUE(in.ok() && in.at_end());
}

TEST(Batch, ComesBackAsItWas) {
  Sources here(1, nullptr);
  Sources there(4, nullptr);
  Batch batch;
  Record with_place = some_record(5);
  with_place.source = here.of_call(reinterpret_cast<const void*>(&some_knowledge),
                                   reinterpret_cast<const void*>(&some_record));
  batch.add(with_place);
  batch.add(some_record(6));
  batch.complete({4, {3, 50}, {1, 0}});
  const Bytes bytes = batch.encode(4, here);
  EXPECT_EQ(batch.size(), 0U);
  const Read all = read_back(bytes, there);
  ASSERT_TRUE(all.ok);
  ASSERT_EQ(all.records.size(), 2U);
  const Record& first = all.records[0];
  EXPECT_EQ(first.window, with_place.window);
  EXPECT_EQ(first.displacement, with_place.displacement);
  EXPECT_EQ(first.piece.offset, 16U);
  EXPECT_EQ(first.piece.size, 32U);
  EXPECT_EQ(first.kind, with_place.kind);
  EXPECT_EQ(first.atomicity, with_place.atomicity);
  EXPECT_EQ(first.by, with_place.by);
  EXPECT_EQ(first.completed, with_place.completed);
  EXPECT_EQ(first.delivered_by, with_place.delivered_by);
  EXPECT_EQ(*first.issued, some_knowledge());
  EXPECT_EQ(there.stack(first.source), here.stack(with_place.source));
  EXPECT_EQ(there.stack(first.source).size(), 2U);
  ASSERT_EQ(all.completions.size(), 1U);
  EXPECT_EQ(all.completions[0].time, (Time{3, 50}));
}

TEST(Batch, APlaceIsToldOnce) {
  Sources here(1, nullptr);
  const SourceNumber place = here.of_call(nullptr, reinterpret_cast<const void*>(&some_record));
  Batch batch;
  Record record = some_record(1);
  record.source = place;
  batch.add(record);
  const std::size_t first = batch.encode(4, here).size();
  batch.add(record);
  EXPECT_LT(batch.encode(4, here).size(), first);
}

TEST(Batch, BytesAreNotTrusted) {
  Sources here(1, nullptr);
  Batch batch;
  batch.add(some_record(5));
  const Bytes bytes = batch.encode(4, here);
  for (std::size_t n = 1; n < bytes.size(); ++n) {
    Sources there(4, nullptr);
    (void)read_back(std::span(bytes).first(n), there);
    Bytes changed = bytes;
    changed[n] ^= std::byte{0xff};
    (void)read_back(changed, there);
  }
}

}  // namespace
}  // namespace redflag::pgas
