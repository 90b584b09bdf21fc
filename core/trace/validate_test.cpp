#include "core/trace/validate.h"

#include <gtest/gtest.h>

#include "core/trace/testing.h"

namespace redflag {
namespace {

using testing_trace::Random;

Event plain_read() {
  return Event{.kind = EventKind::kRead, .object = 0x1000, .size = 4};
}

TEST(EventFault, NoneForEventsOfEveryKind) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const Event e = testing_trace::any_event(random);
    ASSERT_EQ(event_fault(e), nullptr) << to_text(e) << ": " << event_fault(e);
  }
}

TEST(EventFault, OneForEachRule) {
  Event e = plain_read();
  e.kind = static_cast<EventKind>(kEventKindCount);
  EXPECT_STREQ(event_fault(e), "unknown kind of event");
  e = plain_read();
  e.order = Order::kRelaxed;
  EXPECT_STREQ(event_fault(e), "a memory order where this kind has none");
  e.order = static_cast<Order>(kOrderCount);
  EXPECT_STREQ(event_fault(e), "unknown memory order");
  e = plain_read();
  e.scope = static_cast<Scope>(kScopeCount);
  EXPECT_STREQ(event_fault(e), "unknown scope");
  e = plain_read();
  e.thread = ThreadId{kThreadLimit};
  EXPECT_STREQ(event_fault(e), "thread number not below 2^24");
  e = plain_read();
  e.kind = EventKind::kAtomicLoad;
  EXPECT_NE(event_fault(e), nullptr) << "an atomic needs an order";
  e = Event{.kind = EventKind::kAcquire, .is_volatile = true};
  EXPECT_STREQ(event_fault(e), "volatile, which this kind cannot be");
  e = Event{.kind = EventKind::kAcquire, .size = 1};
  EXPECT_STREQ(event_fault(e), "a size where this kind has none");
  e = Event{.kind = EventKind::kThreadEnd, .object = 1};
  EXPECT_STREQ(event_fault(e), "an operand where this kind has none");
  e = Event{.kind = EventKind::kFork, .object = kThreadLimit};
  EXPECT_STREQ(event_fault(e), "other thread's number not below 2^24");
}

TEST(EventFault, RangesOfMemory) {
  Event e = plain_read();
  e.size = 0;
  EXPECT_NE(event_fault(e), nullptr);
  e.size = kMaxAccessSize;
  EXPECT_EQ(event_fault(e), nullptr);
  e.size = kMaxAccessSize + 1;
  EXPECT_NE(event_fault(e), nullptr);
  e.size = 1;
  e.object = ~std::uint64_t{0};
  EXPECT_NE(event_fault(e), nullptr) << "the byte behind it has no address";
  e.object = ~std::uint64_t{0} - 1;
  EXPECT_EQ(event_fault(e), nullptr);
}

TEST(DefinitionFault, Rules) {
  const std::string long_name(kMaxNameBytes + 1, 'x');
  EXPECT_EQ(definition_fault(SourceDefinition{SourceId{1}, kNoSource, {}}), nullptr);
  EXPECT_NE(definition_fault(SourceDefinition{}), nullptr);
  EXPECT_NE(definition_fault(SourceDefinition{SourceId{1}, SourceId{1}, {}}), nullptr);
  EXPECT_NE(definition_fault(SourceDefinition{SourceId{1}, kNoSource, {long_name, "", 0, 0}}),
            nullptr);
  EXPECT_NE(definition_fault(ThreadName{ThreadId{kThreadLimit}, "x"}), nullptr);
  EXPECT_NE(definition_fault(ThreadName{ThreadId{1}, long_name}), nullptr);
  EXPECT_NE(definition_fault(LockName{LockId{1}, long_name}), nullptr);
  Region region{.addr = Addr{16}, .size = 8, .name = "x"};
  EXPECT_EQ(definition_fault(region), nullptr);
  region.size = 0;
  EXPECT_NE(definition_fault(region), nullptr);
  region.size = ~std::uint64_t{0};
  EXPECT_NE(definition_fault(region), nullptr);
  region.size = 8;
  region.kind = static_cast<RegionKind>(kRegionKindCount);
  EXPECT_NE(definition_fault(region), nullptr);
}

TEST(ApplyDefinition, RefusesUnknownCallers) {
  Sources sources;
  EXPECT_FALSE(apply_definition(SourceDefinition{SourceId{2}, SourceId{1}, {}}, sources));
  EXPECT_TRUE(apply_definition(SourceDefinition{SourceId{1}, kNoSource, {}}, sources));
  EXPECT_TRUE(apply_definition(SourceDefinition{SourceId{2}, SourceId{1}, {}}, sources));
  EXPECT_TRUE(apply_definition(ThreadName{ThreadId{1}, "worker"}, sources));
  EXPECT_TRUE(apply_definition(LockName{LockId{1}, "m"}, sources));
  EXPECT_EQ(sources.stack(SourceId{2}).size(), 2u);
  EXPECT_EQ(sources.thread_name(ThreadId{1}), "worker");
  EXPECT_EQ(sources.lock_name(LockId{1}), "m");
}

}  // namespace
}  // namespace redflag
