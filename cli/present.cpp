#include "cli/present.h"

#include "cli/console.h"
#include "cli/figures.h"
#include "cli/tsan_options.h"
#include "core/report/baseline.h"
#include "core/report/fold.h"
#include "core/report/text.h"
#include "core/report/words.h"

namespace redflag::cli {

Result<Presentation> Presentation::prepare(const Arguments& arguments, std::string_view suffix) {
  Presentation made;
  made.arguments_ = &arguments;
  if (arguments.flag("excerpts")) {
    made.reader_ = std::make_unique<SourceReader>(
        SourceReader::Options{.roots = arguments.all("source-root")});
  }
  for (const std::string& file : arguments.all("suppressions")) {
    Result<void> done = made.suppressions_.add_file(find_beside_program(arguments, file));
    if (!done) return Failure(done.error());
  }
  if (arguments.is_set("baseline")) {
    Result<Report> baseline = read_report(arguments.text("baseline"));
    if (!baseline) {
      return fail(baseline.error().message +
                  "\n--baseline takes a JSON report; 'redflag replay --json=FILE' writes one");
    }
    fold(*baseline);
    made.baseline_ = std::move(*baseline);
  }
  OutputPlan plan;
  for (const OutputFormat& format : kOutputFormats) {
    if (!arguments.is_set(format.option)) continue;
    std::string path = arguments.text(format.option);
    made.takes_stdout_ |= path == "-";
    if (path != "-") path += suffix;
    if (Result<void> done = plan.add(format.option, path); !done) return Failure(done.error());
  }
  Result<std::vector<PendingOutput>> outputs = plan.open();
  if (!outputs) return Failure(outputs.error());
  made.outputs_ = std::move(*outputs);
  made.requests_ = std::move(plan.requests);
  return made;
}

Status Presentation::finish(Report report, const std::string& table,
                            const std::string& look_further) {
  fold(report);
  suppressions_.apply(report);
  if (baseline_) compare_with_baseline(report, *baseline_);

  if (Result<void> done = write_all(outputs_, report, reader_.get()); !done) {
    return bad_input(done.error().message);
  }
  const Status status = has_new(report) ? Status::kRaces : Status::kClean;
  if (arguments_->flag("quiet")) return status;
  say_unused(false);
  if (takes_stdout_) {
    print_note(summary(report));
    return status;
  }
  return print_and_end(text(report, table, look_further), status);
}

Status Presentation::finish_live(Report report, bool is_tsan, const std::string& last_words) {
  if (baseline_) compare_with_baseline(report, *baseline_);
  if (Result<void> done = write_all(outputs_, report, reader_.get()); !done) {
    return bad_input(done.error().message);
  }
  const Status status = has_new(report) ? Status::kRaces : Status::kClean;
  if (arguments_->flag("quiet")) return status;
  say_unused(true);
  const std::uint64_t limit = arguments_->number("max-findings");
  std::string last;
  if (limit != 0 && report.findings.size() > limit) {
    last += "... and " + plural(report.findings.size() - limit, "more finding", "more findings") +
            " (--max-findings=0 prints all)\n\n";
  }
  for (const Counter& counter : report.stats) {
    std::string line = "  " + counter.name;
    line.resize(std::max<std::size_t>(line.size(), 30) + 1, ' ');
    last += line + value_text(counter) + "\n";
  }
  // ThreadSanitizer says nothing at the end of a clean run.
  if (is_tsan) {
    last += last_words;
  } else if (!report.findings.empty() || arguments_->command().id != Command::kAttend) {
    // A reporter that was started to name an address, and heard of no race, has nothing to say.
    TextOptions options;
    options.colour = wants_color(*arguments_, Stream::kError);
    last += write_causes(report) + write_end(report, options);
  }
  print_to_error(last + wrote());
  return status;
}

void Presentation::say_unused(bool is_live) const {
  for (const std::string& line : suppressions_.without_effect()) {
    print_note(line + ": nothing is ever reported that this type could suppress");
  }
  if (!is_live) {
    for (const std::string& line : suppressions_.for_calls()) {
      print_note(line + ": acts only while a program runs (redflag run)");
    }
  }
  for (const std::string& line : suppressions_.unused()) print_note(line + ": matched nothing");
}

std::string Presentation::wrote() const {
  std::string text;
  for (const OutputPlan::Request& request : requests_) {
    text += "  wrote " + std::string(request.format->name) + ": " + request.path + "\n";
  }
  return text;
}

std::string Presentation::text(const Report& report, const std::string& table,
                               const std::string& look_further) const {
  TextOptions options;
  options.colour = wants_color(*arguments_);
  options.sources = reader_.get();
  options.most_findings = arguments_->number("max-findings");
  std::string text = write_findings(report, options);
  if (!table.empty()) text += table + "\n";
  text += write_end(report, options);
  text += wrote();
  if (requests_.empty() && !report.findings.empty())
    text += "  look further: " + look_further + "\n";
  return text;
}

}  // namespace redflag::cli
