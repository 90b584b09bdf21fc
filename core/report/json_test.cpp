#include "core/report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/report/clean.h"
#include "core/report/sample_report.h"

namespace redflag {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<Report> round_trip(const Report& report, int indent = 2) {
  return read_json("x.json", write_json(report, indent));
}

// The message for the usual report with one value changed.
std::string error_after(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json json = nlohmann::json::parse(write_json(sample::usual()));
  json[nlohmann::json::json_pointer(pointer)] = value;
  const Result<Report> report = read_json("x.json", json.dump());
  return report.has_value() ? "" : report.error().message;
}

TEST(Json, RoundTripIsExact) {
  for (const Report& report :
       {Report{}, sample::empty(), sample::one(), sample::usual(), sample::large(),
        sample::live_run(), sample::gpu_run(), sample::confirmed(), sample::hostile()}) {
    for (const int indent : {-1, 2}) {
      const Result<Report> back = round_trip(report, indent);
      ASSERT_TRUE(back.has_value()) << back.error().message;
      EXPECT_EQ(*back, report);
    }
  }
}

TEST(Json, GpuPlacesAreChecked) {
  nlohmann::json json = nlohmann::json::parse(write_json(sample::gpu_run()));
  const nlohmann::json& gpu = json["findings"][0]["second"]["gpu"];
  EXPECT_EQ(gpu["block"], (nlohmann::json{1, 0, 0}));
  EXPECT_EQ(gpu["scope"], "block");
  EXPECT_FALSE(gpu.contains("async"));
  EXPECT_FALSE(write_json(sample::usual()).find("\"gpu\"") != std::string::npos);
  json["findings"][0]["second"]["gpu"]["thread"] = {1, 2};
  const Result<Report> wrong = read_json("x.json", json.dump());
  ASSERT_FALSE(wrong.has_value());
  EXPECT_THAT(wrong.error().message, HasSubstr("three numbers"));
}

TEST(Json, ExtremesSurvive) {
  Report report = sample::usual();
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  report.events = most;
  report.suppressed = (std::uint64_t{1} << 53) - 1;
  report.dropped = std::uint64_t{1} << 53;
  Finding& f = report.findings[0];
  f.addr = Addr{most};
  f.size = 0xFFFFFFFFu;
  f.memory.size = most;
  f.first.access.index = EventIndex{most - 1};
  f.first.access.clock = most;
  f.first.access.thread = ThreadId{0xFFFFFFFFu};
  report.stats = {{"a", 0.1 + 0.2, ""}, {"b", 5e-324, ""}, {"c", -0.0, ""}, {"d", 1e22, ""}};
  const Result<Report> back = round_trip(report);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(*back, report);
  EXPECT_THAT(write_json(report), HasSubstr("\"18446744073709551615\""))
      << "beyond 2^53 integers are strings";
  EXPECT_THAT(write_json(report), HasSubstr("\"suppressed\": 9007199254740991"));
}

TEST(Json, WhatJsonCannotCarry) {
  Report report = sample::broken_encoding();
  report.stats = {{"nan", std::numeric_limits<double>::quiet_NaN(), ""}};
  const Result<Report> back = round_trip(report);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->findings.size(), report.findings.size());
  EXPECT_EQ(back->input, "bad\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_TRUE(std::isnan(back->stats[0].value));
}

TEST(Json, SyntaxErrorsSayLineAndColumn) {
  const Result<Report> report = read_json("my.json", "{\n  \"a\": ]\n}");
  ASSERT_FALSE(report.has_value());
  EXPECT_THAT(report.error().message, StartsWith("my.json:2:8: not valid JSON: "));
  for (const char* text : {"", "{", "[1,", "\"\xff\"", "nul", "{} {}"}) {
    EXPECT_FALSE(read_json("x", text).has_value()) << text;
  }
}

TEST(Json, SomethingElseIsNotAReport) {
  for (const char* text : {"{}", "[]", "1", "null", "\"text\"", "{\"schema\": 1}"}) {
    const Result<Report> report = read_json("x", text);
    ASSERT_FALSE(report.has_value());
    EXPECT_THAT(report.error().message, HasSubstr("expected a redflag report")) << text;
  }
}

TEST(Json, ErrorsNamePlaceFoundAndExpected) {
  EXPECT_EQ(error_after("/schema_version", 99),
            "x.json: schema_version: expected 5 (convert the report with the redflag that wrote "
            "it, or record it again), found 99");
  EXPECT_EQ(error_after("/findings/2/second/stack/0/line", -1),
            "x.json: findings[2].second.stack[0].line: expected an integer from 0 to 4294967295, "
            "found -1");
  EXPECT_EQ(error_after("/findings/0/first/access/kind", "wrote"),
            "x.json: findings[0].first.access.kind: expected one of read, write, atomic-load, "
            "atomic-store, atomic-rmw, fence, acquire, release, acquire-shared, release-shared, "
            "fork, join, end, barrier-enter, barrier-exit, alloc, free, work, found \"wrote\"");
  EXPECT_THAT(error_after("/findings/0/first/access/kind", "fork"), HasSubstr("memory access"));
  EXPECT_THAT(error_after("/findings/0/address", "4096"), HasSubstr("hexadecimal string"));
  EXPECT_THAT(error_after("/findings/0/address", "0x"), HasSubstr("hexadecimal string"));
  EXPECT_THAT(error_after("/findings/0/address", "0x10000000000000000"), HasSubstr("hexadecimal"));
  EXPECT_THAT(error_after("/findings/0/count", 1.5),
              HasSubstr("findings[0].count: expected an int"));
  EXPECT_THAT(error_after("/findings/0/count", "1x"), HasSubstr("found \"1x\""));
  EXPECT_THAT(error_after("/findings/0/extra", 1), HasSubstr("findings[0]: unknown key \"extra\""));
  EXPECT_THAT(error_after("/findings", 1), HasSubstr("findings: expected an array, found 1"));
  EXPECT_THAT(error_after("/findings/0/arrows/0/to", 8), HasSubstr("one of the 8 steps"));
  EXPECT_THAT(error_after("/findings/0/first/thread_name", ""), HasSubstr("expected a name"));
  EXPECT_THAT(error_after("/findings/0/first/locks/0/shared", 0), HasSubstr("true or false"));
  EXPECT_THAT(error_after("/stats/0/value", "x"), HasSubstr("stats[0].value: expected a number"));
  EXPECT_THAT(error_after("/input", {{"a", 1}}), HasSubstr("input: expected a string, found an o"));
}

TEST(Json, AMissingKeyIsNamed) {
  nlohmann::json json = nlohmann::json::parse(write_json(sample::one()));
  json["findings"][0].erase("advice");
  const Result<Report> report = read_json("x", json.dump());
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().message, "x: findings[0]: the key \"advice\" is missing");
}

TEST(Json, EveryKeyIsRequiredOrOptionalByDesign) {
  // Takes away each key of the document in turn: only index and at may be absent.
  const nlohmann::json whole = nlohmann::json::parse(write_json(sample::one()));
  const nlohmann::json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const nlohmann::json::json_pointer at(pointer);
    if (!whole.at(at.parent_pointer()).is_object()) continue;
    nlohmann::json cut = whole;
    cut[at.parent_pointer()].erase(at.back());
    EXPECT_EQ(read_json("x", cut.dump()).has_value(), at.back() == "index") << pointer;
  }
}

TEST(Json, WhatLiveRunsKnowIsOptionalAndChecked) {
  const nlohmann::json live = nlohmann::json::parse(write_json(sample::live_run()));
  const nlohmann::json trace = nlohmann::json::parse(write_json(sample::one()));
  for (const char* key : {"threads", "locks", "origin"}) {
    EXPECT_TRUE(live["findings"][0].contains(key)) << key;
    EXPECT_FALSE(trace["findings"][0].contains(key)) << key;
  }
  const auto error_of = [&](const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json changed = live;
    changed[nlohmann::json::json_pointer(pointer)] = value;
    const Result<Report> report = read_json("x", changed.dump());
    return report ? "" : report.error().message;
  };
  EXPECT_THAT(error_of("/findings/0/threads/1/state", "dead"),
              HasSubstr("one of unknown, running"));
  EXPECT_THAT(error_of("/findings/0/threads/1/extra", 1), HasSubstr("unknown key"));
  EXPECT_THAT(error_of("/findings/0/locks/0/id", -1), HasSubstr("locks[0].id"));
  EXPECT_THAT(error_of("/findings/0/origin/descriptor", 1ULL << 31), HasSubstr("2147483647"));
  EXPECT_THAT(error_of("/findings/0/origin/freed", 1), HasSubstr("true or false"));
  EXPECT_THAT(error_of("/findings/0/first/stack/0/offset", 16), HasSubstr("hexadecimal"));
}

TEST(Json, TheVersionBeforeIsReadToo) {
  nlohmann::json json = nlohmann::json::parse(write_json(sample::usual()));
  EXPECT_FALSE(json.contains("modules")) << "and only lacks keys";
  json["schema_version"] = 2;
  const Result<Report> report = read_json("x", json.dump());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(*report, sample::usual());
  json["schema_version"] = 1;
  EXPECT_FALSE(read_json("x", json.dump()));
}

TEST(Json, VerdictsAreChecked) {
  nlohmann::json json = nlohmann::json::parse(write_json(sample::confirmed()));
  const nlohmann::json& verdict = json["findings"][0]["confirmation"];
  EXPECT_EQ(verdict["verdict"], "confirmed");
  EXPECT_EQ(verdict["run"], 3);
  EXPECT_FALSE(verdict.contains("weak_order"));
  EXPECT_THAT(verdict["schedule"].get<std::string>(), HasSubstr("held up to 40 ms"));
  EXPECT_FALSE(json["findings"][1]["confirmation"].contains("schedule"));
  EXPECT_FALSE(json["findings"][3]["confirmation"].contains("first"));
  json["findings"][0]["confirmation"]["verdict"] = "perhaps";
  const Result<Report> report = read_json("x", json.dump());
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("one of confirmed, not-reproduced, not-tried"));
}

TEST(Json, OnlyMisuseHasOnePlace) {
  nlohmann::json json = nlohmann::json::parse(write_json(sample::live_run()));
  EXPECT_FALSE(json["findings"][3].contains("first"));
  json["findings"][0].erase("first");
  const Result<Report> report = read_json("x", json.dump());
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("findings[0].first"));
}

TEST(Json, DeepNestingIsRefusedNotCrashed) {
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_FALSE(read_json("x", deep).has_value());
}

}  // namespace
}  // namespace redflag
