#include "cli/live.h"

#include "cli/console.h"
#include "cli/figures.h"
#include "core/report/fold.h"

namespace redflag::cli {

Result<std::unique_ptr<Live>> Live::prepare(const Arguments& arguments, std::string_view suffix,
                                            bool is_shown) {
  Result<Presentation> presentation = Presentation::prepare(arguments, suffix);
  if (!presentation) return Failure(presentation.error());
  std::unique_ptr<Live> live(new Live(arguments));
  live->presentation_ = std::make_unique<Presentation>(std::move(*presentation));

  collect::CollectorOptions options;
  options.format =
      arguments.text("format") == "tsan" ? collect::Format::kTsan : collect::Format::kText;
  options.colour = wants_color(arguments, Stream::kError);
  options.suppressions = &live->presentation_->suppressions();
  options.sources = live->presentation_->sources();
  options.most_printed = arguments.number("max-findings");
  if (!arguments.flag("quiet") && is_shown) {
    options.print = [](std::string_view text) { print_to_error(text); };
  }
  options.complain = [](std::string_view line) { print_note(line); };
  live->collector_ = std::make_unique<collect::Collector>(std::move(options));
  live->server_ = std::make_unique<collect::Server>(
      *live->collector_, [](std::string_view line) { print_note(line); });
  return live;
}

void Live::replay(const collect::BetweenFile& between) {
  const Result<std::vector<std::byte>> file = between.read();
  if (!file) return print_note(file.error().message);
  if (!file->empty()) collector_->on_between(0, *file);
}

void Live::add(std::vector<Finding> findings) {
  of_others_.insert(of_others_.end(), std::make_move_iterator(findings.begin()),
                    std::make_move_iterator(findings.end()));
}

Report Live::take(const std::string& input) {
  Report report = collector_->finish();
  report.tool_version = REDFLAG_VERSION;
  report.command = arguments_.line();
  report.detector = detector_;
  report.input = input;
  report.stats.insert(report.stats.end(), stats_.begin(), stats_.end());
  if (!arguments_.flag("stats")) report.stats.clear();
  if (of_others_.empty()) return report;
  for (Finding& finding : of_others_) report.findings.push_back(std::move(finding));
  of_others_.clear();
  fold(report);
  return report;
}

Status Live::finish(const std::string& input) {
  const std::string last_words = collector_->last_words();
  return presentation_->finish_live(take(input), last_words);
}

}  // namespace redflag::cli
