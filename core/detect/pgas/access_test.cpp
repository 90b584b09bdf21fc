// Which accesses may be under way together: the processor's atomic operations, and those of libraries.
#include "core/detect/pgas/access.h"

#include <gtest/gtest.h>

#include "core/detect/pgas/access_of.h"
#include "core/detect/pgas/gap.h"

namespace redflag::pgas {
namespace {

using enum AccessKind;

Access by(ThreadClock& clock, AccessKind kind) {
  Access a = access_of(clock, kind, 100, 4, 1);
  if (info(kind).is_atomic) a.atomicity = {1, 1, 4, false};
  return a;
}

bool race(AccessKind x, AccessKind y) {
  ThreadClock first({0, 0});
  ThreadClock second({1, 0});
  return is_race(by(first, x), by(second, y));
}

TEST(ProcessorAtomics, MeetEachOther) {
  EXPECT_FALSE(race(kAtomicStore, kAtomicStore));
  EXPECT_FALSE(race(kAtomicStore, kAtomicLoad));
  EXPECT_FALSE(race(kAtomicLoad, kAtomicLoad));
}

TEST(ProcessorAtomics, RaceWithAllElse) {
  for (const AccessKind kind : {kLoad, kStore, kGet, kPut, kAccumulate, kFetch, kPollingLoad}) {
    EXPECT_TRUE(race(kAtomicStore, kind)) << info(kind).name;
    EXPECT_EQ(race(kAtomicLoad, kind), info(kind).writes) << info(kind).name;
  }
}

TEST(ProcessorAtomics, AgainstALibrarysOwnItIsTheirDomainThatDiffers) {
  ThreadClock first({0, 0});
  ThreadClock second({1, 0});
  Race found;
  found.first = by(first, kAccumulate);
  found.second = by(second, kAtomicStore);
  EXPECT_EQ(gap_of(found), Gap::kOtherAtomic);
  found.second = by(second, kStore);
  EXPECT_EQ(gap_of(found), Gap::kNotAtomic);
}

}  // namespace
}  // namespace redflag::pgas
