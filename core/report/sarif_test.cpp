// The official schema is not at hand when tests run, so check_log holds what it demands of the
// properties we write, and what the standard says in words beyond it.
#include "core/report/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string_view>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

// An absolute or relative file URI: (file:///)?([-A-Za-z0-9._~/]|%[0-9A-F]{2})+. By hand, since
// std::regex takes a frame for each character, and paths may be long.
bool is_uri(std::string_view text) {
  if (text.starts_with("file:///")) text.remove_prefix(8);
  if (text.empty()) return false;
  while (!text.empty()) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    const bool is_escape = text.size() >= 3 && text[0] == '%' && kHex.find(text[1]) != kHex.npos &&
                           kHex.find(text[2]) != kHex.npos;
    const bool is_plain = std::isalnum(static_cast<unsigned char>(text[0])) != 0 ||
                          std::string_view("-._~/").find(text[0]) != std::string_view::npos;
    if (!is_escape && !is_plain) return false;
    text.remove_prefix(is_escape ? 3 : 1);
  }
  return true;
}

using nlohmann::json;
using ::testing::HasSubstr;

class LogCheck {
 public:
  explicit LogCheck(const json& log) : run_(log.at("runs").at(0)) {
    EXPECT_EQ(log.at("version"), "2.1.0");
    EXPECT_EQ(log.at("runs").size(), 1u);
    rules();
    artifacts();
    for (const json& result : run_.at("results")) check_result(result);
  }

 private:
  void rules() {
    const json& driver = run_.at("tool").at("driver");
    EXPECT_EQ(driver.at("name"), "redflag");
    for (const json& rule : driver.at("rules")) {
      rule_ids_.push_back(rule.at("id"));
      EXPECT_FALSE(rule.at("shortDescription").at("text").get<std::string>().empty());
      EXPECT_FALSE(rule.at("help").at("text").get<std::string>().empty());
    }
    EXPECT_EQ(std::set<std::string>(rule_ids_.begin(), rule_ids_.end()).size(), rule_ids_.size());
  }

  void artifacts() {
    std::set<std::string> seen;
    for (const json& artifact : run_.at("artifacts")) {
      EXPECT_TRUE(seen.insert(artifact.at("location").dump()).second) << "artifacts are unique";
    }
  }

  void artifact_location(const json& location) {
    const std::string uri = location.at("uri");
    EXPECT_TRUE(is_uri(uri)) << uri;
    const bool absolute = uri.starts_with("file:///");
    EXPECT_NE(absolute, location.contains("uriBaseId")) << uri;
    if (!absolute) {
      EXPECT_TRUE(run_.at("originalUriBaseIds").contains(location.at("uriBaseId")));
      EXPECT_FALSE(uri.starts_with("/"));
    }
    const std::size_t index = location.at("index");
    ASSERT_LT(index, run_.at("artifacts").size());
    EXPECT_EQ(run_.at("artifacts").at(index).at("location").at("uri"), uri);
  }

  void check_location(const json& location) {
    if (location.contains("physicalLocation")) {
      const json& physical = location.at("physicalLocation");
      artifact_location(physical.at("artifactLocation"));
      if (physical.contains("region")) {
        EXPECT_GE(physical.at("region").at("startLine").get<std::uint64_t>(), 1u);
        EXPECT_GE(physical.at("region").value("startColumn", 1u), 1u);
      }
    }
    if (location.contains("logicalLocations")) {
      EXPECT_EQ(location.at("logicalLocations").at(0).at("kind"), "function");
    }
  }

  void check_code_flow(const json& flow) {
    std::set<std::string> ids;
    std::set<std::uint64_t> orders;
    std::size_t steps = 0;
    ASSERT_GE(flow.at("threadFlows").size(), 1u);
    for (const json& thread : flow.at("threadFlows")) {
      EXPECT_TRUE(ids.insert(thread.at("id").get<std::string>()).second);
      ASSERT_GE(thread.at("locations").size(), 1u);
      std::uint64_t last = 0;
      for (const json& step : thread.at("locations")) {
        check_location(step.at("location"));
        const std::uint64_t order = step.at("executionOrder");
        EXPECT_GT(order, last) << "a thread's steps are in order";
        last = order;
        orders.insert(order);
        ++steps;
      }
    }
    EXPECT_EQ(orders.size(), steps) << "the common order is total";
    EXPECT_EQ(*orders.rbegin(), steps);
  }

  // Links [text](id) of a message must lead to a related location.
  void check_links(const std::string& text, const json& related) {
    std::set<int> ids;
    for (const json& location : related)
      EXPECT_TRUE(ids.insert(location.at("id").get<int>()).second);
    static const std::regex kLink(R"(\]\((\d+)\))");
    int found = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), kLink), end; at != end; ++at, ++found) {
      EXPECT_TRUE(ids.contains(std::stoi((*at)[1]))) << text;
    }
    EXPECT_GE(found, 1);
  }

  void check_result(const json& result) {
    const std::size_t index = result.at("ruleIndex");
    ASSERT_LT(index, rule_ids_.size());
    EXPECT_EQ(result.at("ruleId"), rule_ids_[index]);
    const std::string rule = result.at("ruleId");
    EXPECT_EQ(result.at("level"), rule == "lockset"       ? "note"
                                  : rule == "thread-leak" ? "warning"
                                                          : "error");
    for (const json& location : result.at("locations")) check_location(location);
    for (const json& location : result.at("relatedLocations")) {
      check_location(location);
      EXPECT_TRUE(location.contains("message"));
    }
    const std::string text = result.at("message").at("text");
    if (text.size() < 2000) check_links(text, result.at("relatedLocations"));
    EXPECT_GE(result.at("stacks").size(), rule.starts_with("race") ? 2u : 1u);
    for (const json& stack : result.at("stacks")) {
      for (const json& frame : stack.at("frames")) check_location(frame.at("location"));
    }
    ASSERT_EQ(result.at("codeFlows").size(), 1u);
    check_code_flow(result.at("codeFlows").at(0));
    EXPECT_GE(result.at("occurrenceCount").get<std::int64_t>(), 1);
    EXPECT_LE(result.at("occurrenceCount").get<std::int64_t>(), 0x7fffffff);
    if (result.contains("baselineState")) {
      EXPECT_TRUE(result.at("baselineState") == "new" || result.at("baselineState") == "unchanged");
    }
  }

  const json& run_;
  std::vector<std::string> rule_ids_;
};

TEST(Sarif, LiveRunsTellWhereThingsComeFrom) {
  const json log = json::parse(write_sarif(sample::live_run()));
  const json& results = log.at("runs").at(0).at("results");
  const auto told = [](const json& result) {
    std::string all;
    for (const json& one : result.at("relatedLocations")) {
      all += one.at("message").at("text").get<std::string>() + "\n";
    }
    return all;
  };
  EXPECT_THAT(told(results[0]),
              HasSubstr("thread T1 (teller), finished (system 4101), created by"));
  EXPECT_THAT(told(results[0]), HasSubstr("lock accounts, a mutex at 0x55d0c1a080"));
  EXPECT_THAT(told(results[1]), HasSubstr("freed by T1 (teller)"));
  EXPECT_EQ(results[0].at("stacks").size(), 4u);
  EXPECT_EQ(results[1].at("locations")[0]["physicalLocation"]["region"]["startLine"], 21)
      << "the call of memcpy";
  EXPECT_THAT(results[2].at("message").at("text").get<std::string>(),
              HasSubstr("[by T0 (main)](2)"));
}

TEST(Sarif, EverySampleIsWellFormed) {
  for (const Report& report :
       {Report{}, sample::empty(), sample::one(), sample::usual(), sample::large(),
        sample::live_run(), sample::hostile(), sample::broken_encoding()}) {
    const json log = json::parse(write_sarif(report));
    LogCheck check(log);
    EXPECT_EQ(log.at("runs").at(0).at("results").size(), report.findings.size());
  }
}

TEST(Sarif, AResultInFull) {
  const json log = json::parse(write_sarif(sample::one()));
  const json& result = log.at("runs").at(0).at("results").at(0);
  EXPECT_EQ(result.at("message").at("text"),
            "data race: write against write on 'balance': [write of 8 bytes by T1 (teller)](1) and "
            "[write of 8 bytes by T0 (main)](2) are not ordered. T1 (teller) held the lock "
            "accounts, T0 (main) held none. Take accounts in reset() as well, or call reset() "
            "before the threads start.");
  EXPECT_EQ(result.at("locations").at(0).at("physicalLocation").at("region"),
            (json{{"startLine", 21}, {"startColumn", 11}}));
  EXPECT_EQ(result.at("relatedLocations").size(), 3u);
  EXPECT_EQ(result.at("partialFingerprints").at("redflagRace/v1"),
            sample::one().findings[0].fingerprint);
  EXPECT_EQ(result.at("occurrenceCount"), 12);
  EXPECT_FALSE(result.contains("baselineState")) << "no baseline was given";
  EXPECT_EQ(result.at("codeFlows").at(0).at("threadFlows").size(), 3u);
}

TEST(Sarif, BaselineStates) {
  const json log = json::parse(write_sarif(sample::usual()));
  const json& results = log.at("runs").at(0).at("results");
  EXPECT_EQ(results.at(0).at("baselineState"), "new");
  EXPECT_EQ(results.at(1).at("baselineState"), "unchanged");
}

TEST(Sarif, AFlowWithoutAPictureHasItsTwoAccesses) {
  Report report;
  report.findings = {sample::bare()};
  const json log = json::parse(write_sarif(report));
  const json& result = log.at("runs").at(0).at("results").at(0);
  EXPECT_EQ(result.at("codeFlows").at(0).at("threadFlows").size(), 2u);
  EXPECT_TRUE(result.at("locations").empty());
}

TEST(Sarif, GpuRulesOnlyWhereTheyAreUsed) {
  EXPECT_THAT(write_sarif(sample::usual()), ::testing::Not(HasSubstr("gpu-")));
  const json log = json::parse(write_sarif(sample::gpu_run()));
  const json& run = log.at("runs").at(0);
  const json& result = run.at("results").at(0);
  const auto index = result.at("ruleIndex").get<std::size_t>();
  EXPECT_EQ(run.at("tool").at("driver").at("rules").at(index).at("id"), "gpu-scoped-fence");
  EXPECT_EQ(result.at("codeFlows").at(0).at("threadFlows").size(), 2u);
  EXPECT_THAT(result.at("message").at("text").get<std::string>(),
              HasSubstr("thread (32,0,0) of block (1,0,0)"));
  // Each finding has its rule's place in the table, and one flow for each side.
  for (const json& one : run.at("results")) {
    const auto at = one.at("ruleIndex").get<std::size_t>();
    EXPECT_EQ(run.at("tool").at("driver").at("rules").at(at).at("id"), one.at("ruleId"));
    const std::string rule = one.at("ruleId");
    const bool is_alone = rule == "gpu-out-of-bounds" || rule == "gpu-misaligned" ||
                          rule == "gpu-use-after-free" || rule == "gpu-stopped" ||
                          rule == "gpu-stuck";
    EXPECT_EQ(one.at("codeFlows").at(0).at("threadFlows").size(), is_alone ? 1u : 2u) << rule;
    EXPECT_EQ(one.at("locations").size(), 1u) << rule;
  }
}

TEST(Sarif, MessagesEscapeWhatWouldBeALinkOrPlaceholder) {
  Report report = sample::one();
  report.findings[0].memory.name = "a[1] {0}";
  EXPECT_THAT(write_sarif(report), HasSubstr("a\\\\[1\\\\] {{0}}"));
}

TEST(Sarif, Uris) {
  EXPECT_EQ(to_uri("src/a.cpp"), "src/a.cpp");
  EXPECT_EQ(to_uri("/usr/include/c++/x y.h"), "file:///usr/include/c%2B%2B/x%20y.h");
  EXPECT_EQ(to_uri("//host/x"), "file:///host/x");
  EXPECT_EQ(to_uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
  EXPECT_EQ(to_uri("\xff"), "%FF");
}

TEST(Sarif, WhatWasNotLookedAtIsANotification) {
  const json clean = json::parse(write_sarif(sample::usual()));
  EXPECT_FALSE(clean["runs"][0]["invocations"][0].contains("toolExecutionNotifications"));
  const json live = json::parse(write_sarif(sample::live_run()));
  const json& notes = live["runs"][0]["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0]["message"]["text"].get<std::string>(), HasSubstr("libfoo.so"));
}

}  // namespace
}  // namespace redflag
