#include "frontends/cpu/wire/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

#include "frontends/cpu/wire/testing.h"

namespace redflag::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string error_of(std::span<const std::byte> bytes) {
  const Result<RaceMessage> message = decode_race(bytes);
  return message ? "" : message.error().message;
}

std::string error_after(const std::function<void(RaceMessage&)>& change) {
  RaceMessage message = testing::two_writes();
  change(message);
  return error_of(encode_race(message));
}

TEST(Decode, WhatWasEncoded) {
  const RaceMessage sent = testing::two_writes();
  const Result<RaceMessage> got = decode_race(encode_race(sent));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->race.addr, 0x5000U);
  EXPECT_THAT(got->threads, SizeIs(2));
  EXPECT_EQ(name_of(got->threads[1]), "worker");
  EXPECT_EQ(name_of(got->threads[0]), "");
  EXPECT_THAT(got->stack(got->race.first.stack), ElementsAre(0x1700, 0x1800));
  EXPECT_THAT(got->held(got->race.first), SizeIs(2));
  EXPECT_EQ(got->thread(1), &got->threads[1]);
  EXPECT_EQ(got->thread(5), nullptr);
}

TEST(Decode, HalfAMeeting) {
  RaceMessage half = testing::two_writes();
  half.race.met_side = 15;
  EXPECT_THAT(decode_met(encode_race(half)).error().message, HasSubstr("has_first"));
  half.race.has_first = 0;
  const Result<RaceMessage> got = decode_met(encode_race(half));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->race.met_side, 15);
  EXPECT_FALSE(decode_race(encode_race(half))) << "a race has two sides";
  half.race.met_side = 16;
  EXPECT_THAT(decode_met(encode_race(half)).error().message, HasSubstr("met_side is 16"));
}

TEST(Decode, EveryOtherLengthIsRefused) {
  std::vector<std::byte> bytes = encode_race(testing::two_writes());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(error_of(std::span(bytes).first(size)), "") << size;
  }
  bytes.push_back({});
  EXPECT_THAT(error_of(bytes), HasSubstr("which is not their size"));
}

TEST(Decode, CountsThatLieAreRefused) {
  RaceMessage message = testing::two_writes();
  std::vector<std::byte> bytes = encode_race(message);
  Race race;
  std::memcpy(&race, bytes.data(), sizeof(race));
  race.words = 0xffffffff;
  std::memcpy(bytes.data(), &race, sizeof(race));
  EXPECT_THAT(error_of(bytes), HasSubstr("4294967295 program counters"));
}

TEST(Decode, WhatPointsOutsideIsRefused) {
  const std::pair<const char*, std::function<void(RaceMessage&)>> cases[] = {
      {"rule is 16, expected less than 16", [](auto& m) { m.race.rule = kCpuRuleCount; }},
      {"first.stack is 4294967297", [](auto& m) { m.race.first.stack = {2, 0xffffffff}; }},
      {"second.stack", [](auto& m) { m.race.second.stack = {0xffffffff, 2}; }},
      {"first.held", [](auto& m) { m.race.first.held = 3; }},
      {"first.thread is not among the threads", [](auto& m) { m.race.first.thread = 2; }},
      {"second.kind is 6", [](auto& m) { m.race.second.kind = 6; }},
      {"second.kind is 200", [](auto& m) { m.race.second.kind = 200; }},
      {"second.order is 6", [](auto& m) { m.race.second.order = 6; }},
      {"has_first is 0", [](auto& m) { m.race.has_first = 0; }},
      {"has_first is 2", [](auto& m) { m.race.has_first = 2; }},
      {"history is 3", [](auto& m) { m.race.history = static_cast<History>(3); }},
      {"sync_ignored is 2", [](auto& m) { m.race.sync_ignored = 2; }},
      {"thread.created", [](auto& m) { m.threads[1].created.count = 1000; }},
      {"thread.name without an end",
       [](auto& m) { std::memset(m.threads[0].name, 'x', sizeof(m.threads[0].name)); }},
      {"lock.created", [](auto& m) { m.locks[0].created.first = 1000; }},
      {"lock.id is 0", [](auto& m) { m.locks[0].id = 0; }},
      {"held.lock is 2, expected less than 2", [](auto& m) { m.helds[0].lock = 2; }},
      {"memory.kind is 8", [](auto& m) { m.race.memory.kind = 8; }},
      {"memory.allocated", [](auto& m) { m.race.memory.allocated.count = 1000; }},
      {"memory.freed_at", [](auto& m) { m.race.memory.freed_at.count = 1000; }},
      {"memory.size", [](auto& m) { m.race.memory.addr = ~0ULL, m.race.memory.size = 2; }},
      {"size is 4", [](auto& m) { m.race.addr = ~0ULL; }},
  };
  for (const auto& [expected, change] : cases) {
    EXPECT_THAT(error_after(change), HasSubstr(expected));
  }
}

TEST(Decode, OnlyTheEarlierThreadMayBeUnknown) {
  EXPECT_EQ(error_after([](auto& m) { m.race.first.thread = kNoThread; }), "");
  EXPECT_THAT(error_after([](auto& m) { m.race.second.thread = kNoThread; }),
              HasSubstr("second.thread is not among"));
}

TEST(Decode, WithoutAFirstItsFieldsDoNotMatter) {
  EXPECT_EQ(error_after([](auto& m) {
              m.race.rule = static_cast<std::uint32_t>(Rule::kDoubleLock);
              m.race.has_first = 0;
              m.race.first.thread = 77;
              m.race.first.stack = {5, 5000};
            }),
            "");
}

TEST(Decode, ChangedBytesNeverLeadOutside) {
  const std::vector<std::byte> good = encode_race(testing::two_writes());
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = good;
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    const Result<RaceMessage> message = decode_race(bytes);
    if (!message) continue;
    std::uint64_t sum = 0;
    for (const std::uint64_t pc : message->stack(message->race.second.stack)) sum += pc;
    for (const HeldRecord& held : message->held(message->race.second)) {
      sum += message->locks[held.lock].id;
    }
    EXPECT_NE(message->thread(message->race.second.thread), nullptr) << sum;
  }
}

TEST(Decode, AnotherVersionIsToldWhatToDo) {
  Hello hello;
  EXPECT_TRUE(decode_hello(std::as_bytes(std::span(&hello, 1))));
  hello.version = 9;
  const Result<Hello> other = decode_hello(std::as_bytes(std::span(&hello, 1)));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "the program's runtime speaks version 9 of the protocol, this command version 3; link "
            "the program with the libredflag of this installation");
  EXPECT_FALSE(decode_hello({}));
  EXPECT_FALSE(decode_bye({}));
}

}  // namespace
}  // namespace redflag::wire
