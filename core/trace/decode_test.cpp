#include "core/trace/decode.h"

#include <gtest/gtest.h>

#include "core/trace/encode.h"
#include "core/trace/testing.h"

namespace redflag::rft {
namespace {

using testing_trace::Random;

struct Decoded {
  std::vector<Event> events;
  DecodeFault fault;
};

// Exactly as much memory as the interface asks for, so that a sanitizer sees any step beyond.
Decoded decode(std::span<const std::uint8_t> raw, std::size_t count) {
  std::vector<std::uint8_t> padded(raw.begin(), raw.end());
  padded.resize(raw.size() + kPadding);
  std::vector<Slot> slots(count);
  Decoded result{std::vector<Event>(count), {}};
  result.fault = decode_events(padded.data(), raw.size(), slots, result.events);
  return result;
}

std::vector<std::uint8_t> encode(std::span<const Event> events) {
  static BlockEncoder encoder;  // large, and made anew it would be most of the tests' time
  encoder.clear();
  for (const Event& event : events) encoder.add(event);
  return {encoder.raw().begin(), encoder.raw().end()};
}

TEST(Decode, GivesBackRandomEvents) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::vector<Event> events = testing_trace::any_events(random, 1 + random() % 3000);
    const Decoded decoded = decode(encode(events), events.size());
    ASSERT_EQ(decoded.fault.what, nullptr) << decoded.fault.what;
    ASSERT_EQ(decoded.events, events);
  }
}

TEST(Decode, GivesBackAFullBlockWithAThreadPerEvent) {
  std::vector<Event> events(kEventsPerBlock);
  for (std::uint32_t i = 0; i < kEventsPerBlock; ++i)
    events[i] = Event{.thread = ThreadId{kThreadLimit - 1 - i}, .object = i, .size = 1};
  const Decoded decoded = decode(encode(events), events.size());
  ASSERT_EQ(decoded.fault.what, nullptr);
  EXPECT_EQ(decoded.events, events);
}

TEST(Decode, TypicalEventsTakeThreeBytes) {
  std::vector<Event> events(1000);
  for (std::size_t i = 0; i < events.size(); ++i)
    events[i] = Event{.object = 0x7f0000001000 + 8 * i, .size = 8, .source = SourceId{7}};
  EXPECT_LT(encode(events).size(), 3 * events.size() + 20);
}

// Whatever the bytes, the decoder stops with a fault or gives only events that are legal.
TEST(Decode, AgreesWithEventFaultOnDamagedBlocks) {
  Random random(11);
  int legal = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::vector<Event> events = testing_trace::any_events(random, 1 + random() % 6);
    std::vector<std::uint8_t> raw = encode(events);
    for (int flips = 0; flips < 2; ++flips)
      raw[random() % raw.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    const Decoded decoded = decode(raw, events.size());
    if (decoded.fault.what != nullptr) {
      EXPECT_LE(decoded.fault.byte, raw.size() + kPadding);
      continue;
    }
    ++legal;
    for (const Event& e : decoded.events) ASSERT_EQ(event_fault(e), nullptr) << event_fault(e);
  }
  EXPECT_GT(legal, 100);
}

TEST(Decode, SurvivesNoise) {
  Random random(13);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> raw(2 + random() % 60);
    for (std::uint8_t& byte : raw) byte = static_cast<std::uint8_t>(random());
    raw[0] |= kThreadChanged;
    decode(raw, 1 + random() % (raw.size() / 2));
  }
}

// A first event on a new slot for thread 0, then the bytes.
const char* fault_of(std::vector<std::uint8_t> bytes, std::size_t count) {
  return decode(bytes, count).fault.what;
}
constexpr std::uint8_t kReadT0 = kThreadChanged;  // kind 0, size code 0: one byte

TEST(Decode, NamesEachFault) {
  EXPECT_EQ(fault_of({kReadT0, 0, 0, 0, 0, 0, 0, 0}, 1), nullptr);
  EXPECT_STREQ(fault_of({0, 0}, 1), "no thread given for the first event of a block");
  EXPECT_STREQ(fault_of({kReadT0, 0, 1, 0, 0, 0, 0, 0}, 1),
               "thread slot used before its number was given");
  EXPECT_STREQ(fault_of({kReadT0, 0, 0, 0, 0, 0, 0, 1}, 1), "thread number not below 2^24");
  EXPECT_STREQ(fault_of({kReadT0 | kEventKindCount, 0, 0, 0, 0, 0, 0, 0}, 1),
               "unknown kind of event");
  EXPECT_STREQ(fault_of({kReadT0, 0x80, 0, 0, 0, 0, 0, 0}, 1),
               "unused bit of the control word set");
  EXPECT_STREQ(fault_of({kReadT0 | 2, 0, 0, 0, 0, 0, 0, 0}, 1),
               "no memory order for a kind that needs one");
  EXPECT_STREQ(fault_of({kReadT0 | 6, 0x10, 0, 0, 0, 0, 0, 0}, 1),
               "a size where this kind has none");
  EXPECT_STREQ(fault_of({kReadT0 | kHasAttributes, 0, 0, 0, 0, 0, 0, 0, 1}, 1),
               "order, scope or volatile that this kind cannot have");
  EXPECT_STREQ(fault_of({kReadT0, 0x70, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 1), "size not in 1..2^31");
  EXPECT_STREQ(fault_of({kReadT0 | 0x80, 0, 0, 0, 0, 0, 0, 0, 1}, 1),
               "address, size or thread operand out of range");
  EXPECT_STREQ(fault_of({kReadT0, 0, 0, 0, 0, 0, 0, 0, 0}, 1), "bytes behind the last event");
  EXPECT_STREQ(fault_of({kReadT0, 0, 0, 0, 0, 0, 0}, 1), "the block ends inside its last event");
  EXPECT_STREQ(fault_of({kReadT0, 0, 0, 0, 0, 0, 0, 0}, 2), "the block ends before this event");
}

}  // namespace
}  // namespace redflag::rft
