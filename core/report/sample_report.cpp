#include <utility>

#include "core/report/baseline.h"
#include "core/report/fold.h"
#include "core/report/sample_report.h"

namespace redflag::sample {

std::vector<Finding> one_of_each() {
  return {write_write(), write_read(), read_write(), atomic_plain(), use_after_free(), lockset()};
}

Report empty() {
  Report report;
  report.tool_version = "0.1.0";
  report.command = "redflag run -- ./bank 100";
  report.detector = "fasttrack";
  report.input = "bank";
  report.events = 1234567;
  return report;
}

Report one() {
  Report report = empty();
  report.findings = {write_write()};
  fold(report);
  return report;
}

Report usual() {
  Report old = empty();
  old.findings = {write_read(), lockset()};
  fold(old);
  Report report = empty();
  report.findings = one_of_each();
  report.findings.push_back(bare());
  report.suppressed = 3;
  report.dropped = 1;
  report.stats = {{"same-epoch reads", 81.5, "%"}, {"shadow memory", 1048576, "bytes"}};
  fold(report);
  compare_with_baseline(report, old);
  return report;
}

Report large() {
  Report report = empty();
  report.input =
      "a rather long path/to/some/deeply/nested/build/tree/with/the/program/under/test/"
      "server-integration-test";
  report.command =
      "redflag run --detector=fasttrack --html=report.html -- "
      "./server-integration-test --gtest_filter='*Concurrent*' --threads=64";
  std::vector<Finding> base = one_of_each();
  const Report live = live_run();
  base.insert(base.end(), live.findings.begin(), live.findings.end());
  for (int i = 0; i < 40; ++i) {
    Finding f = base[static_cast<std::size_t>(i) % base.size()];
    const std::string number = std::to_string(i);
    if (!f.memory.name.empty()) f.memory.name += "_" + number;
    for (Side* side : {&f.first, &f.second}) {
      for (Frame& one : side->stack) {
        one.function += i < 6 ? "" : " [clone " + number + "]";
        one.line += i < 6 ? 0 : 100 * static_cast<std::uint32_t>(i);
      }
    }
    f.count = static_cast<std::uint64_t>(1 + i * 7 % 30);
    report.findings.push_back(std::move(f));
  }
  Finding& wide = report.findings[1];
  wide.memory.name =
      "boost::container::flat_map<std::__cxx11::basic_string<char, "
      "std::char_traits<char>, std::allocator<char>>, "
      "std::unique_ptr<server::session::ConnectionState>>::value_type";
  wide.steps.insert(wide.steps.begin(),
                    {step(30, 0, "fork T1"), step(31, 1, "begin"), step(32, 0, "fork T2"),
                     step(33, 2, "begin"), step(34, 3, "release a lock with quite a long name"),
                     step(35, 1, "acquire a lock with quite a long name")});
  wide.arrows = {{0, 1}, {2, 3}, {4, 5}};
  fold(report);
  return report;
}

Report live_run() {
  Report report = empty();
  report.events = 0;
  report.findings = {live(), live_freed(), destroy_locked(), thread_leak(), signal_unsafe()};
  report.stats = {{"shadow memory", 1048576, "bytes"}};
  report.unchecked = {{Unchecked::Kind::kLibrary, "/usr/lib/x86_64-linux-gnu/libz.so.1", 1},
                      {Unchecked::Kind::kLibrary, "/opt/lib/libfoo.so", 1},
                      {Unchecked::Kind::kThread, "", 3}};
  fold(report);
  return report;
}

Report grouped() {
  Report report = empty();
  report.findings = hard_to_name();
  std::uint32_t line = 40;
  for (Finding& finding : report.findings) {
    for (Side* side : {&finding.first, &finding.second}) side->stack.front().line = ++line;
  }
  CodeFrame& near = report.findings[1].first.stack[0];
  near.line_state = LineState::kNearest;
  CodeFrame& lost = report.findings[1].second.stack[1];
  lost.file.clear();
  lost.line = lost.column = 0;
  lost.line_state = LineState::kNoDebugInfo;
  fold(report);
  return report;
}

Report confirmed() {
  Report report = empty();
  report.findings = {live(), write_read(), read_write(), lockset(), thread_leak()};
  report.modules = {{"/home/user/bank", "0123456789abcdef"}, {"/usr/lib/libbank.so", ""}};
  fold(report);
  report.findings[0].confirmation = Confirmation{.verdict = Verdict::kConfirmed,
                                                 .run = 3,
                                                 .runs = 20,
                                                 .schedule =
                                                     "thread 1, time 2 at the first "
                                                     "statement, held up to 40 ms",
                                                 .first = live().second,
                                                 .second = live().first};
  report.findings[1].confirmation = Confirmation{.verdict = Verdict::kConfirmed,
                                                 .run = 1,
                                                 .runs = 20,
                                                 .weak_order = true,
                                                 .first = write_read().first,
                                                 .second = write_read().second};
  report.findings[2].confirmation = Confirmation{
      .verdict = Verdict::kNotReproduced, .runs = 20, .why = "no thread came to either statement"};
  report.findings[3].confirmation = Confirmation{.verdict = Verdict::kNotReproduced, .runs = 1};
  report.findings[4].confirmation =
      Confirmation{.verdict = Verdict::kNotTried, .why = "it is not about two accesses"};
  return report;
}

Report hostile() {
  Report report = empty();
  const std::vector<std::string> names{"</script><script>document.title='pwned'</script>",
                                       "<!--<script>",
                                       "<img src=x onerror=\"document.title='pwned'\">",
                                       "]]>&amp;&lt;",
                                       "\"quoted\" and 'single' \\back\\",
                                       "line\nbreak\r\ttab",
                                       "\x1b[31mred\x1b]0;title\x07",
                                       std::string("zero\0byte", 9),
                                       "sep\xE2\x80\xA8"
                                       "arators\xE2\x80\xA9 and \xE2\x80\xAEreversed",
                                       "[link](https://example.invalid/x) {0} {{1}}",
                                       "javascript:alert(1)",
                                       "{{data}}",
                                       std::string(3000, 'x'),
                                       "$\\*^$"};
  report.input = names[0];
  report.command = names[4] + names[5];
  report.detector = names[2];
  for (std::size_t i = 0; i < names.size(); ++i) {
    Finding f = i % 2 == 0 ? write_write() : write_read();
    const std::string& bad = names[i];
    f.memory.name = bad;
    f.missing_text = bad;
    f.advice = bad;
    for (Side* side : {&f.first, &f.second}) {
      side->thread_name = bad;
      side->stack[0].function = bad;
      side->stack[0].file = bad;
      side->locks = {{bad, true}};
      side->stack[0].module = bad;
    }
    f.threads = main_and_teller();
    f.threads[1].name = f.threads[1].parent_name = bad;
    f.locks = {LockOrigin{.id = 1, .name = bad, .addr = Addr{1}}};
    f.origin.module = bad;
    for (Step& one : f.steps) one.what = bad;
    report.findings.push_back(std::move(f));
  }
  report.stats = {{names[1], 0.1, names[2]}, {"negative", -1e300, ""}};
  fold(report);
  report.findings[0].count = ~std::uint64_t{0};
  report.findings[1].fingerprint = names[0];
  report.findings[2].fingerprint.clear();
  return report;
}

Report broken_encoding() {
  Report report = usual();
  report.input = "bad\xff\xfe";
  for (Finding& f : report.findings) {
    f.memory.name += "\xC0\x80";
    for (Side* side : {&f.first, &f.second}) {
      side->thread_name += "\xED\xA0\x80";
      for (Frame& one : side->stack) one.file += "\x80";
    }
  }
  return report;
}

}  // namespace redflag::sample
