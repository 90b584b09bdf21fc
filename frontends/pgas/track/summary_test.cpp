#include "frontends/pgas/track/summary.h"

#include <gtest/gtest.h>

namespace redflag::pgas {
namespace {

constexpr std::uint64_t kFrom = 1000;
constexpr std::uint64_t kUnit = 4;

Windows windows() {
  Windows all(0);
  Window window;
  window.number = 1;
  window.base = kFrom;
  window.size = 4096;
  window.unit = kUnit;
  all.add(window);
  return all;
}

struct Made {
  AccessKind kind = AccessKind::kAccumulate;
  std::int64_t displacement = 0;
  std::uint64_t size = 8;
  std::uint32_t phase = 0;
  std::uint16_t operation = 1;
  bool is_pending = false;
};

// Of a rank that completes in the phase in which it issues.
Batch batch_of(std::uint32_t rank, const std::vector<Made>& all) {
  Batch batch;
  for (const Made& each : all) {
    Shape shape;
    shape.kind = each.kind;
    shape.object = 1;
    shape.by = {rank, 0};
    if (info(each.kind).is_atomic) shape.atomicity = {1, each.operation, 8, false};
    Knowledge known;
    known.enter(each.phase);
    shape.issued = std::make_shared<const Knowledge>(known);
    RecordFate fate;
    fate.completed_by = shape.by;
    if (!each.is_pending) fate.completed = {each.phase, 5};
    const Piece piece{0, each.size};
    batch.add({each.displacement, 1, batch.shape(shape, std::span(&piece, 1)), batch.fate(fate)});
  }
  return batch;
}

// Which ranks' batches the owner needs behind the barrier to phase 5.
std::vector<bool> asked(const std::vector<std::vector<Made>>& ranks, const Phase& own = {}) {
  Knowledge of_all;
  of_all.enter(5);
  std::vector<Bytes> summaries;
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    summaries.push_back(summary_of(batch_of(r, ranks[r]), of_all));
  }
  return needed(summaries, own, windows(), false);
}

using Needs = std::vector<bool>;

TEST(Summary, AtomicsAlikeAreNotNeeded) {
  EXPECT_EQ(asked({{{}, {.displacement = 20}}, {{}, {.displacement = 2}}, {}}),
            (Needs{false, false, false}));
}

TEST(Summary, NorIsWhatNobodyElseTouches) {
  EXPECT_EQ(asked({{{.kind = AccessKind::kGet}}, {{.kind = AccessKind::kGet}}}),
            (Needs{false, false}));
  EXPECT_EQ(asked({{{.displacement = 0}}, {{.displacement = 2, .operation = 2}}}),
            (Needs{false, false}));
}

TEST(Summary, WhatMayRaceIs) {
  EXPECT_EQ(asked({{{}}, {{.operation = 2}}, {{.displacement = 100}}}), (Needs{true, true, false}));
  EXPECT_EQ(asked({{{}}, {{.kind = AccessKind::kPut, .displacement = 1, .size = 1}}}),
            (Needs{true, true}));
}

TEST(Summary, AtomicsCutDifferentlyMayTear) {
  // Units of 4, elements of 8: one unit apart they are not in step.
  EXPECT_EQ(asked({{{.displacement = 0}, {.displacement = 1}}}), (Needs{true}));
  EXPECT_EQ(asked({{{.displacement = 0}}, {{.displacement = 1}}}), (Needs{true, true}));
  EXPECT_EQ(asked({{{.displacement = 1}, {.displacement = 3}, {.displacement = 9}}}),
            (Needs{false}));
}

TEST(Summary, PhasesKeepApart) {
  EXPECT_EQ(asked({{{.kind = AccessKind::kGet, .phase = 2}}, {{.phase = 3}}}),
            (Needs{false, false}));
  EXPECT_EQ(asked({{{.kind = AccessKind::kGet, .phase = 3}}, {{.phase = 3}}}), (Needs{true, true}));
}

TEST(Summary, WhatIsPendingIsSent) {
  EXPECT_EQ(asked({{{.phase = 2, .is_pending = true}}, {{}}}), (Needs{true, false}));
  EXPECT_EQ(asked({{{.phase = 2, .is_pending = true}},
                   {{.kind = AccessKind::kGet, .phase = 4}},
                   {{.kind = AccessKind::kGet, .phase = 1}}}),
            (Needs{true, true, false}));
  EXPECT_EQ(asked({{{.phase = 5}}}), (Needs{true}));  // has not ended
}

TEST(Summary, TheOwnersAccessesCount) {
  Phase own;
  Access store;
  store.kind = AccessKind::kStore;
  store.begin = kFrom + 40;
  store.end = kFrom + 48;
  store.completed = {0, kAtOnce};
  store.issued = std::make_shared<const Knowledge>();
  own.add(store);
  EXPECT_EQ(asked({{{.displacement = 10}}}, own), (Needs{true}));
  EXPECT_EQ(asked({{{.displacement = 12}}}, own), (Needs{false}));
  EXPECT_EQ(asked({{{.displacement = 10, .phase = 1}}}, own), (Needs{false}));
}

TEST(Summary, WhatIsNoSummaryIsNotTrusted) {
  EXPECT_EQ(needed({Bytes{std::byte{1}, std::byte{9}}, {}}, {}, windows(), false),
            (Needs{true, true}));
  EXPECT_EQ(needed({{}, {}}, {}, windows(), true), (Needs{true, true}));
}

}  // namespace
}  // namespace redflag::pgas
