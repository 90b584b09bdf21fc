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

Shape some_shape(SourceNumber source = 0) {
  Shape made;
  made.object = 0x100000001;
  made.kind = AccessKind::kAccumulate;
  made.atomicity = {7, 3, 8, true};
  made.by = {1, 2};
  made.issued = std::make_shared<const Knowledge>(some_knowledge());
  made.source = source;
  return made;
}

RecordFate some_fate(std::uint64_t number) {
  RecordFate made;
  made.completed = {3, 44};
  made.completed_by = {1, 0};
  made.delivered = {3, 40};
  made.delivered_by = delivery(1, 4);
  made.number = number;
  return made;
}

TEST(PackedRecords, AreWhatWasPutIn) {
  const std::vector<std::uint64_t> far{0,
                                       1,
                                       126,
                                       127,
                                       128,
                                       129,
                                       255,
                                       256,
                                       32767,
                                       32768,
                                       65535,
                                       65536,
                                       70000,
                                       3,
                                       std::uint64_t{1} << 31,
                                       std::uint64_t{1} << 32,
                                       std::uint64_t{1} << 33,
                                       ~std::uint64_t{0}};
  PackedRecords packed;
  std::vector<Record> all;
  for (int round = 0; round < 700; ++round) {
    for (const std::uint64_t each : far) {
      const auto near = static_cast<std::uint32_t>(each % (1U << 20));
      all.push_back({static_cast<std::int64_t>(each) - round, each + static_cast<unsigned>(round),
                     near, near / 2});
      packed.add(all.back());
      ASSERT_EQ(packed.last(), all.back());
    }
    for (int k = 0; k < round; ++k) {
      all.push_back({k, 7, 1, 2});
      packed.add(all.back());
    }
    // Far in one thing only; back and forth.
    for (const std::uint64_t each : far) {
      for (int part = 0; part < 4; ++part) {
        Record one{5, 7, 1, 2};
        if (part == 0) one.displacement += static_cast<std::int64_t>(each);
        if (part == 1) one.at += each;
        if (part == 2) one.shape += static_cast<std::uint32_t>(each);
        if (part == 3) one.fate += static_cast<std::uint32_t>(each);
        all.push_back(one);
        packed.add(one);
      }
    }
  }
  ASSERT_EQ(packed.size(), all.size());
  std::vector<Record> back;
  packed.for_each([&](const Record& each) { back.push_back(each); });
  EXPECT_EQ(back, all);
  packed.clear();
  EXPECT_TRUE(packed.empty());
}

const std::vector<Piece> kPieces{{16, 32}, {64, 8}};

void fill(Batch& batch, const Shape& shape) {
  const std::uint32_t fate = batch.fate(some_fate(5));
  batch.add({-3, 17, batch.shape(shape, kPieces), fate});
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
  const Shape shape = some_shape(here.of_call(reinterpret_cast<const void*>(&some_knowledge),
                                              reinterpret_cast<const void*>(&some_shape)));
  Batch batch;
  fill(batch, shape);
  batch.complete({4, {3, 50}, {1, 0}});
  const Bytes bytes = batch.encode(4, here);
  EXPECT_EQ(batch.size(), 0U);
  BatchContents all;
  ASSERT_TRUE(read_batch(1, bytes, there, all));
  ASSERT_EQ(all.records.size(), 1U);
  EXPECT_EQ(all.records[0].displacement, -3);
  EXPECT_EQ(all.records[0].at, 17U);
  const RecordShape& came = all.shapes[all.records[0].shape];
  EXPECT_EQ(came.object, shape.object);
  EXPECT_EQ(came.pieces, kPieces);
  EXPECT_EQ(came.kind, shape.kind);
  EXPECT_EQ(came.atomicity, shape.atomicity);
  EXPECT_EQ(came.by, shape.by);
  EXPECT_EQ(*came.issued, some_knowledge());
  EXPECT_EQ(there.stack(came.source), here.stack(shape.source));
  EXPECT_EQ(there.stack(came.source).size(), 2U);
  EXPECT_EQ(static_cast<const Fate&>(all.fates[all.records[0].fate]), some_fate(5));
  EXPECT_EQ(all.fates[all.records[0].fate].number, 5U);
  ASSERT_EQ(all.completions.size(), 1U);
  EXPECT_EQ(all.completions[0].time, (Time{3, 50}));
}

TEST(Batch, OperationsOfOneStatementShareWhatTheyHaveInCommon) {
  Batch batch;
  const Shape shape = some_shape();
  EXPECT_EQ(batch.shape(shape, kPieces), batch.shape(shape, kPieces));
  EXPECT_NE(batch.shape(shape, kPieces), batch.shape(shape, std::span(kPieces).first(1)));
  Shape other = shape;
  other.issued = std::make_shared<const Knowledge>(some_knowledge());
  EXPECT_NE(batch.shape(shape, kPieces), batch.shape(other, kPieces));
}

TEST(Batch, APlaceIsToldOnce) {
  Sources here(1, nullptr);
  const Shape shape = some_shape(here.of_call(nullptr, reinterpret_cast<const void*>(&some_shape)));
  Batch batch;
  fill(batch, shape);
  const std::size_t first = batch.encode(4, here).size();
  fill(batch, shape);
  EXPECT_LT(batch.encode(4, here).size(), first);
}

TEST(Batch, BytesAreNotTrusted) {
  Sources here(1, nullptr);
  Batch batch;
  fill(batch, some_shape());
  const Bytes bytes = batch.encode(4, here);
  BatchContents to;
  for (std::size_t n = 1; n < bytes.size(); ++n) {
    Sources there(4, nullptr);
    EXPECT_FALSE(read_batch(1, std::span(bytes).first(n), there, to));
    Bytes changed = bytes;
    changed[n] ^= std::byte{0xff};
    if (!read_batch(1, changed, there, to)) continue;
    for (const Record& each : to.records) {
      EXPECT_LT(each.shape, to.shapes.size());
      EXPECT_LT(each.fate, to.fates.size());
    }
  }
}

}  // namespace
}  // namespace redflag::pgas
