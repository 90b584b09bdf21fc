#include "cli/live.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/console.h"
#include "cli/figures.h"
#include "core/report/fold.h"
#include "core/report/json.h"
#include "core/report/tsan_text.h"
#include "core/report/words.h"

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
  options.colour = wants_color(arguments, Stream::kError) &&
                   (!arguments.is_set("log-path") || arguments.text("color") == "always");
  options.suppressions = &live->presentation_->suppressions();
  options.sources = live->presentation_->sources();
  options.most_printed = arguments.number("max-findings");
  live->settings_ = arguments.tsan();
  options.strip_path_prefix = live->settings_.strip_path_prefix;
  options.full_thread_history = live->settings_.full_thread_history;
  if (is_shown && arguments.is_set("log-path")) {
    const std::string path = arguments.text("log-path");
    if (Result<void> done = live->logs_.set_path(path, live->settings_); !done) {
      return Failure(done.error());
    }
  }
  if (Result<void> done = live->prepare_faults(); !done) return Failure(done.error());
  options.fault = [live = live.get()](std::uint32_t pid, const Finding& finding, Fault fault) {
    live->keep(pid, finding, fault);
  };
  if (is_shown) {
    options.print_of = [made = live.get()](std::uint32_t pid, std::string_view text) {
      if (!made->logs_.are_files() && made->arguments_.flag("quiet")) return;
      // Of several processes, or of a job's library: this one speaks for them.
      made->logs_.write(pid == 0 ? static_cast<std::uint32_t>(::getpid()) : pid, text);
    };
  }
  options.words = [made = live.get()](std::uint32_t pid, wire::About about, std::string_view text) {
    made->on_words(pid, about, std::string(text));
  };
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

Result<void> Live::prepare_faults() {
  if (!arguments_.is_set("keep-faults")) return {};
  fault_folder_ = arguments_.text("keep-faults");
  std::error_code wrong;
  std::filesystem::create_directories(fault_folder_, wrong);
  if (!wrong) return {};
  return fail("needed: a folder for --keep-faults\nfound: " + fault_folder_ + ": " +
              wrong.message() + "\nname another one, or leave the option out: such findings are " +
              "then only counted");
}

void Live::keep(std::uint32_t pid, const Finding& finding, Fault fault) {
  if (fault_folder_.empty()) return;
  Report report;
  report.tool_version = REDFLAG_VERSION;
  report.command = arguments_.line();
  report.detector = detector_;
  report.input = "process " + std::to_string(pid);
  report.findings = {finding};
  report.stats = {{std::string(info(fault).text), 1, ""}};
  fold(report);  // gives it a fingerprint
  const std::string name = "fault-" + std::to_string(pid) + "-" + std::to_string(faults_kept_) +
                           "-" + std::string(info(fault).id) + ".json";
  std::ofstream file(std::filesystem::path(fault_folder_) / name);
  file << write_json(report);
  if (file.flush()) ++faults_kept_;
}

void Live::say_faults() const {
  const std::uint64_t count = collector_->faults();
  if (count == 0 || arguments_.flag("quiet")) return;
  std::string text =
      plural(count, "finding contradicts itself and is", "findings contradict themselves and are");
  text += " not reported: a fault of Redflag, not of the program\n";
  if (fault_folder_.empty()) {
    text +=
        "run again with --keep-faults=DIR to keep them, and send them with a report of the fault";
  } else {
    text += plural(faults_kept_, "is", "are") + " kept in " + fault_folder_ +
            ": please send them with a report of the fault";
  }
  print_note(text);
}

void Live::add(std::vector<Finding> findings) {
  of_others_.insert(of_others_.end(), std::make_move_iterator(findings.begin()),
                    std::make_move_iterator(findings.end()));
}

Report Live::take(const std::string& input) {
  say_faults();
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

void Live::on_words(std::uint32_t pid, wire::About about, const std::string& text) {
  switch (about) {
    case wire::About::kOptions:
      if (heard_.insert("options " + text).second) take_defaults(text);
      return;
    case wire::About::kSuppressions:
      if (heard_.insert("suppressions " + text).second) take_suppressions(text);
      return;
    case wire::About::kReportPath:
      return logs_.set_path_of(pid, text);
    case wire::About::kReportFd:
      return logs_.set_descriptor_of(pid, std::atoi(text.c_str()));
  }
}

void Live::take_defaults(const std::string& text) {
  const TsanRequest request = read_tsan_options(text, "__tsan_default_options");
  for (const std::string& line : request.complaints) print_note(line);
  for (const auto& [option, values] : request.values) {
    if (arguments_.is_set(option)) continue;
    if (option == "exit-status") program_status_ = std::stoi(values.back());
    if (option == "format") collector_->set_format(collect::Format::kTsan);
    Result<void> done;
    if (option == "log-path") done = logs_.set_path(values.back(), request.settings);
    if (option == "suppressions") {
      const std::string file = find_beside_program(arguments_, values.back());
      done = presentation_->suppressions().add_file(file);
    }
    if (!done) print_note(done.error().message);
  }
}

void Live::take_suppressions(const std::string& text) {
  Result<void> done = presentation_->suppressions().add("__tsan_default_suppressions", text);
  if (!done) print_note(done.error().message);
}

int Live::exit_status() const {
  if (program_status_ && !arguments_.is_set("exit-status")) return *program_status_;
  return static_cast<int>(arguments_.number("exit-status"));
}

std::string Live::last_words() {
  if (collector_->format() != collect::Format::kTsan) return {};
  std::string matched;
  if (settings_.print_suppressions) matched = presentation_->suppressions().matched_in_tsan_words();
  if (!logs_.are_files()) return collector_->last_words() + matched;
  for (const auto& [pid, count] : collector_->printed()) {
    logs_.write(pid == 0 ? static_cast<std::uint32_t>(::getpid()) : pid,
                tsan_last_line(count) + matched);
  }
  return {};
}

Status Live::finish(const std::string& input) {
  const std::string last = last_words();
  const bool is_tsan = collector_->format() == collect::Format::kTsan;
  return presentation_->finish_live(take(input), is_tsan, last);
}

}  // namespace redflag::cli
