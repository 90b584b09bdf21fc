// What can be said of the page without a browser; tests/web/viewer_test.py drives it in one.
#include "core/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/report/sample_report.h"
#include "core/report/suppress.h"

namespace redflag {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

nlohmann::json data_of(const std::string& page) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Html, IsOnePageThatAsksForNothing) {
  const std::string page = write_html(sample::usual());
  EXPECT_THAT(page, HasSubstr("default-src &#39;none&#39;; script-src &#39;sha256-"));
  for (const char* outside : {"src=", "http://", "https://", "@import", "url(", "<link", "{{"}) {
    std::string rest = page;
    // The SVG namespace is a name, not an address that is fetched.
    for (const std::string name = "http://www.w3.org/2000/svg"; rest.find(name) < rest.size();) {
      rest.erase(rest.find(name), name.size());
    }
    EXPECT_THAT(rest, Not(HasSubstr(outside)));
  }
}

TEST(Html, DataHoldsTheFindingsInWords) {
  SourceReader sources({.roots = {SAMPLE_SOURCES}});
  const Report report = sample::usual();
  const nlohmann::json data = data_of(write_html(report, &sources));
  ASSERT_EQ(data.at("findings").size(), report.findings.size());
  const nlohmann::json& first = data.at("findings").at(0);
  EXPECT_EQ(first.at("fingerprint"), report.findings[0].fingerprint);
  EXPECT_EQ(first.at("suppression"), paste_ready(report.findings[0]));
  EXPECT_EQ(first.at("first").at("stack").at(0).at("excerpt").at("lines").at(1),
            "  balance += amount;");
  EXPECT_EQ(first.at("steps").size(), 8u);
  EXPECT_EQ(first.at("arrows"), nlohmann::json::parse("[[0,1],[2,3]]"));
}

TEST(Html, FoldedFramesAndWholeNamesAreInTheData) {
  Report report = sample::empty();
  report.findings = {sample::in_library()};
  const nlohmann::json finding = data_of(write_html(report)).at("findings").at(0);
  const nlohmann::json& stack = finding.at("first").at("stack");
  EXPECT_EQ(stack.at(0).at("folded"), "1 frame of libstdc++");
  EXPECT_EQ(stack.at(4).at("folded"), "3 frames of libstdc++");
  EXPECT_EQ(stack.at(4).at("frames").size(), 3u) << "behind the line that says so";
  EXPECT_EQ(stack.at(1).at("function"), "std::vector<std::string>::push_back(std::string const&)");
  EXPECT_EQ(stack.at(1).at("whole"), report.findings[0].first.stack[1].function);
  EXPECT_FALSE(finding.at("second").at("stack").at(1).contains("whole")) << "main";
  EXPECT_EQ(stack.at(2).at("own"), true);
}

TEST(Html, FindingsOfOneCauseStandTogether) {
  const nlohmann::json data = data_of(write_html(sample::usual()));
  const nlohmann::json& findings = data.at("findings");
  EXPECT_EQ(findings.at(0).at("group"), "2 findings on 'balance'");
  EXPECT_EQ(findings.at(1).at("group"), "2 findings on 'balance'");
  EXPECT_EQ(findings.at(2).at("group"), "");
  EXPECT_EQ(data.at("unchecked"), "");
  EXPECT_THAT(data_of(write_html(sample::live_run())).at("unchecked").get<std::string>(),
              HasSubstr("libfoo.so"));
}

TEST(Html, HostileNamesDoNotLeaveTheData) {
  const std::size_t scripts = occurrences(write_html(sample::one()), "<script");
  const Report report = sample::hostile();
  const std::string page = write_html(report);
  EXPECT_EQ(occurrences(page, "<script"), scripts);
  EXPECT_EQ(occurrences(page, "</script"), scripts);
  EXPECT_THAT(page, Not(HasSubstr("<!--")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("\xE2\x80\xA8")));
  const nlohmann::json data = data_of(page);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    EXPECT_EQ(data.at("findings").at(i).at("missing"), report.findings[i].missing_text);
  }
}

TEST(Html, ArrowsOutOfRangeAreLeftOut) {
  Report report = sample::one();
  report.findings[0].arrows.push_back({0, 1000});
  EXPECT_EQ(data_of(write_html(report)).at("findings").at(0).at("arrows").size(), 2u);
}

TEST(Html, WithoutScriptsTheTextFormIsThere) {
  const std::string page = write_html(sample::usual());
  const std::size_t begin = page.find("<noscript>");
  const std::string fallback = page.substr(begin, page.find("</noscript>") - begin);
  EXPECT_THAT(fallback, HasSubstr("error[race-write-write]: data race"));
  EXPECT_THAT(fallback, HasSubstr("redflag: 6 races"));
}

TEST(Html, SameReportSamePage) {
  EXPECT_EQ(write_html(sample::large()), write_html(sample::large()));
}

}  // namespace
}  // namespace redflag
