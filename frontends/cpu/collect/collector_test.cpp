// The collector gets messages from "processes" that are this very test, so that its maps are read.
#include "frontends/cpu/collect/collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/report/json.h"
#include "core/report/render.h"
#include "frontends/cpu/wire/testing.h"

int redflag_collected_global;

namespace redflag::collect {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

[[gnu::noinline]] std::uint64_t here_one() {
  return reinterpret_cast<std::uint64_t>(
      __builtin_extract_return_addr(__builtin_return_address(0)));
}
[[gnu::noinline]] std::uint64_t place_one() {
  const std::uint64_t pc = here_one();
  asm volatile("");
  return pc;
}
[[gnu::noinline]] std::uint64_t place_two() {
  const std::uint64_t pc = here_one();
  asm volatile("");
  return pc;
}

class Collect : public ::testing::Test {
 protected:
  static std::uint32_t pid() { return static_cast<std::uint32_t>(getpid()); }

  static wire::RaceMessage race(std::uint64_t first, std::uint64_t second) {
    wire::RaceMessage m =
        wire::testing::two_writes(reinterpret_cast<std::uintptr_t>(&redflag_collected_global));
    m.race.first.stack = wire::testing::add_stack(m, {first});
    m.race.second.stack = wire::testing::add_stack(m, {second});
    return m;
  }

  Collector make(CollectorOptions options = {}) {
    options.print = [this](std::string_view text) { printed_.emplace_back(text); };
    options.complain = [this](std::string_view text) { complaints_.emplace_back(text); };
    return Collector(std::move(options));
  }

  static bool hello(Collector& collector, std::uint32_t from) {
    const wire::Hello greeting;
    return collector.on_hello(from, std::as_bytes(std::span(&greeting, 1)));
  }

  std::vector<std::string> printed_;
  std::vector<std::string> complaints_;
};

TEST_F(Collect, APairOfPlacesIsPrintedOnceAndCounted) {
  Collector collector = make();
  ASSERT_TRUE(hello(collector, pid()));
  const auto bytes = wire::encode_race(race(place_one(), place_two()));
  const wire::Reply first = collector.on_race(pid(), bytes);
  EXPECT_EQ(first.verdict, wire::Verdict::kReported);
  EXPECT_EQ(first.findings, 1U);
  ASSERT_THAT(printed_, SizeIs(1));
  EXPECT_THAT(printed_[0], StartsWith("error[race-write-write]: data race: write against write on "
                                      "'redflag_collected_global'\n"));
  EXPECT_THAT(printed_[0], HasSubstr("place_one()"));
  EXPECT_THAT(printed_[0], HasSubstr("place_two()"));
  EXPECT_THAT(printed_[0], HasSubstr("thread    T1 (worker), finished (system 101), created by T0 "
                                     "(main)"));
  // The other way round, at another time.
  const auto swapped = wire::encode_race(race(place_two(), place_one()));
  const wire::Reply second = collector.on_race(pid(), swapped);
  EXPECT_EQ(second.verdict, wire::Verdict::kDuplicate);
  EXPECT_EQ(second.findings, 1U);
  EXPECT_THAT(printed_, SizeIs(1));
  const Report report = collector.finish();
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].count, 2U);
  EXPECT_THAT(report.findings[0].fingerprint, SizeIs(16));
  EXPECT_THAT(complaints_, IsEmpty());
}

TEST_F(Collect, TheReportSurvivesEveryFormat) {
  Collector collector = make();
  collector.on_race(pid(), wire::encode_race(race(place_one(), place_two())));
  const Report report = collector.finish();
  const Result<Report> back = read_json("x", write_json(report));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, report);
  for (const OutputFormat& format : kOutputFormats) {
    EXPECT_THAT(format.render(report, nullptr), HasSubstr("place_one()")) << format.name;
  }
}

TEST_F(Collect, SuppressedIsNeitherPrintedNorKept) {
  Suppressions suppressions;
  ASSERT_TRUE(suppressions.add("s", "race:^redflag_collected_global$"));
  CollectorOptions options;
  options.suppressions = &suppressions;
  Collector collector = make(options);
  const wire::Reply reply =
      collector.on_race(pid(), wire::encode_race(race(place_one(), place_two())));
  EXPECT_EQ(reply.verdict, wire::Verdict::kSuppressed);
  EXPECT_EQ(reply.findings, 0U);
  EXPECT_THAT(printed_, IsEmpty());
  EXPECT_EQ(suppressions.all()[0].hits, 1U);
  const Report report = collector.finish();
  EXPECT_EQ(report.suppressed, 1U);
  EXPECT_THAT(report.findings, IsEmpty());
}

TEST_F(Collect, AFindingThatContradictsItselfIsCountedAndNotReported) {
  std::vector<std::string> faults;
  CollectorOptions options;
  options.fault = [&](std::uint32_t pid, const Finding& finding, Fault fault) {
    EXPECT_EQ(pid, Collect::pid());
    EXPECT_EQ(finding.memory.name, "redflag_collected_global");
    faults.emplace_back(info(fault).id);
  };
  Collector collector = make(options);
  const auto send = [&](const wire::RaceMessage& message) {
    const wire::Reply reply = collector.on_race(pid(), wire::encode_race(message));
    EXPECT_EQ(reply.verdict, wire::Verdict::kSuppressed);
    EXPECT_EQ(reply.findings, 0U);
  };
  wire::RaceMessage message = race(place_one(), place_two());
  message.race.first.addr += 4;
  send(message);
  message = race(place_one(), place_two());
  message.race.second.addr -= 4;
  send(message);
  message = race(place_one(), place_two());
  message.race.second.first_held = message.race.first.first_held;
  message.race.second.held = message.race.first.held;
  send(message);
  message = race(place_one(), place_two());
  message.race.history = wire::History::kDenied;
  send(message);
  EXPECT_THAT(faults, ::testing::ElementsAre("earlier-elsewhere", "later-elsewhere", "common-lock",
                                             "never-made"));
  EXPECT_EQ(collector.faults(), 4U);
  EXPECT_THAT(printed_, IsEmpty());
  EXPECT_THAT(collector.finish().findings, IsEmpty());
}

TEST_F(Collect, WhatTheRuntimeKnowsBesidesCanExplainAContradiction) {
  Collector collector = make();
  wire::RaceMessage message = race(place_one(), place_two());
  message.race.first_addr = message.race.first.addr = 0x7f0000001000;  // the page has two addresses
  message.race.second.first_held = message.race.first.first_held;
  message.race.second.held = message.race.first.held;
  message.race.sync_ignored = 1;
  EXPECT_EQ(collector.on_race(pid(), wire::encode_race(message)).verdict, wire::Verdict::kReported);
  EXPECT_EQ(collector.faults(), 0U);
}

TEST_F(Collect, BytesThatAreNoRaceAreToldOnceAndAnswered) {
  Collector collector = make();
  const std::vector<std::byte> noise(100);
  EXPECT_EQ(collector.on_race(pid(), noise).verdict, wire::Verdict::kSuppressed);
  EXPECT_EQ(collector.on_race(pid(), {}).verdict, wire::Verdict::kSuppressed);
  ASSERT_THAT(complaints_, SizeIs(1));
  EXPECT_THAT(complaints_[0], HasSubstr("sent a race of 100 bytes; expected at least 192"));
  EXPECT_THAT(collector.finish().findings, IsEmpty());
}

TEST_F(Collect, EachProcessCountsItsOwnFindings) {
  Collector collector = make();
  const auto bytes = wire::encode_race(race(place_one(), place_two()));
  // The parent of the test has other maps: its race has other places.
  const auto other = static_cast<std::uint32_t>(getppid());
  hello(collector, pid());
  hello(collector, other);
  collector.on_race(pid(), bytes);
  EXPECT_EQ(collector.on_race(other, bytes).findings, 1U);
  EXPECT_EQ(collector.on_race(pid(), bytes).findings, 1U);
  collector.on_closed(other);
  wire::Bye bye;
  bye.sweeps = 3;
  bye.shadow_bytes = 4096;
  collector.on_bye(pid(), std::as_bytes(std::span(&bye, 1)));
  collector.on_closed(pid());
  EXPECT_EQ(collector.figures().processes, 2U);
  EXPECT_EQ(collector.figures().crashed, 1U);
  EXPECT_EQ(collector.figures().sweeps, 3U);
}

TEST_F(Collect, AnotherVersionIsRefused) {
  Collector collector = make();
  wire::Hello greeting;
  greeting.version = 77;
  EXPECT_FALSE(collector.on_hello(pid(), std::as_bytes(std::span(&greeting, 1))));
  ASSERT_THAT(complaints_, SizeIs(1));
  EXPECT_THAT(complaints_[0], HasSubstr("link the program with the libredflag"));
}

TEST_F(Collect, ThreadSanitizersWords) {
  CollectorOptions options;
  options.format = Format::kTsan;
  Collector collector = make(options);
  EXPECT_EQ(collector.last_words(), "");
  collector.on_race(pid(), wire::encode_race(race(place_one(), place_two())));
  ASSERT_THAT(printed_, SizeIs(1));
  EXPECT_THAT(printed_[0],
              StartsWith("==================\nWARNING: ThreadSanitizer: data race (pid=" +
                         std::to_string(pid()) + ")\n  Write of size 4 at 0x"));
  EXPECT_THAT(printed_[0], HasSubstr("  Previous write of size 4 at 0x"));
  EXPECT_THAT(printed_[0], HasSubstr(" by thread T1 (mutexes: write M0, read M1):\n"));
  EXPECT_EQ(collector.last_words(), "ThreadSanitizer: reported 1 warnings\n");
  // Swapped it is the same to ThreadSanitizer; by another caller it is not.
  const auto swapped = wire::encode_race(race(place_two(), place_one()));
  EXPECT_EQ(collector.on_race(pid(), swapped).verdict, wire::Verdict::kDuplicate);
  wire::RaceMessage called = race(place_one(), place_two());
  called.race.second.stack = wire::testing::add_stack(called, {place_two(), place_one()});
  EXPECT_EQ(collector.on_race(pid(), wire::encode_race(called)).verdict, wire::Verdict::kReported);
  EXPECT_EQ(collector.last_words(), "ThreadSanitizer: reported 2 warnings\n");
  EXPECT_THAT(collector.finish().findings, SizeIs(1)) << "in the report it is one finding";
}

template <typename T>
std::vector<std::byte> message_of(const T& value, std::string_view behind = {}) {
  const auto begin = std::as_bytes(std::span(&value, 1));
  const auto end = std::as_bytes(std::span(behind.data(), behind.size()));
  std::vector<std::byte> all(begin.begin(), begin.end());
  all.insert(all.end(), end.begin(), end.end());
  return all;
}

TEST_F(Collect, WordsOfTheProgramAreHandedOn) {
  std::vector<std::string> heard;
  CollectorOptions options;
  options.words = [&heard](std::uint32_t, wire::About about, std::string_view text) {
    heard.push_back(std::to_string(static_cast<int>(about)) + " " + std::string(text));
  };
  Collector collector = make(options);
  collector.on_words(pid(), message_of(wire::Words{wire::About::kSuppressions, 0}, "race:x"));
  collector.on_words(pid(), message_of(wire::Words{wire::About::kReportPath, 0}));
  EXPECT_THAT(heard, ::testing::ElementsAre("1 race:x", "2 "));
  // Nothing that arrives is trusted.
  collector.on_words(pid(), std::vector<std::byte>(3));
  EXPECT_THAT(complaints_, SizeIs(1));
  collector.on_words(pid() + 1, message_of(wire::Words{static_cast<wire::About>(9), 0}));
  EXPECT_THAT(complaints_, SizeIs(2));
  EXPECT_THAT(heard, SizeIs(2));
}

TEST_F(Collect, QuestionsAreAnsweredWithNames) {
  Collector collector = make();
  const auto ask = [&](std::uint64_t addr, bool is_code) {
    return collector.on_question(pid(), message_of(wire::Question{addr, is_code ? 1U : 0U, 0}));
  };
  const auto global = reinterpret_cast<std::uintptr_t>(&redflag_collected_global);
  const wire::Answer variable = ask(global + 2, false);
  EXPECT_EQ(variable.known, 1U);
  EXPECT_EQ(variable.addr, global);
  EXPECT_GE(variable.size, sizeof(int));  // more under ASan, which puts a zone behind it
  EXPECT_STREQ(variable.name, "redflag_collected_global");
  const wire::Answer code = ask(place_one(), true);
  EXPECT_THAT(code.name, HasSubstr("place_one()"));
  EXPECT_THAT(code.file, HasSubstr("collector_test.cpp"));
  EXPECT_NE(code.line, 0U);
  EXPECT_EQ(ask(8, false).known, 0U);
  EXPECT_EQ(collector.on_question(pid(), std::vector<std::byte>(3)).known, 0U);
  EXPECT_THAT(complaints_, SizeIs(1));
}

TEST_F(Collect, WhoseFindingItIsCanBeAsked) {
  std::vector<std::uint32_t> pids;
  CollectorOptions options;
  options.print_of = [&pids](std::uint32_t from, std::string_view) { pids.push_back(from); };
  Collector collector = make(options);
  collector.on_race(pid(), wire::encode_race(race(place_one(), place_two())));
  EXPECT_THAT(pids, ::testing::ElementsAre(pid()));
  EXPECT_THAT(printed_, IsEmpty());
  EXPECT_EQ(collector.printed().at(pid()), 1U);
}

TEST_F(Collect, NoMoreIsPrintedThanAsked) {
  CollectorOptions options;
  options.most_printed = 1;
  Collector collector = make(options);
  collector.on_race(pid(), wire::encode_race(race(place_one(), place_two())));
  collector.on_race(pid(), wire::encode_race(race(place_one(), place_one())));
  EXPECT_THAT(printed_, SizeIs(1));
  EXPECT_THAT(collector.finish().findings, SizeIs(2)) << "but it is kept";
}

}  // namespace
}  // namespace redflag::collect
