#include "core/report/text.h"

#include <algorithm>
#include <string_view>

#include "core/report/clean.h"
#include "core/report/group.h"
#include "core/report/own_code.h"
#include "core/report/suppress.h"
#include "core/report/words.h"

namespace redflag {
namespace {

enum class Ink { kError, kNote, kBold, kDim, kFix };

constexpr std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::kError:
      return "\x1b[1;31m";
    case Ink::kNote:
      return "\x1b[1;33m";
    case Ink::kBold:
      return "\x1b[1m";
    case Ink::kDim:
      return "\x1b[2m";
    case Ink::kFix:
      return "\x1b[32m";
  }
  return "";
}

constexpr std::size_t kLabelWidth = 10;
constexpr std::size_t kMostNoteFrames = 2;

class Printer {
 public:
  explicit Printer(const TextOptions& options) : options_(options) {}

  void finding(const Finding& finding) {
    heading(finding);
    const RuleGroup group = info(finding.rule).group;
    const bool has_memory = group != RuleGroup::kThread && group != RuleGroup::kSignal &&
                            group != RuleGroup::kBarrier &&
                            (group != RuleGroup::kKernel || finding.size > 0);
    if (has_memory) {
      label("memory", printable(memory_text(finding)));
      if (!is_declaration(finding.memory_stack)) note_stack(finding.memory_stack);
    }
    if (is_race(finding.rule)) {
      side("first", finding, finding.first);
      side("second", finding, finding.second);
    } else {
      const bool barrier = group == RuleGroup::kBarrier;
      side(barrier ? "elsewhere" : "at", finding, finding.second);
      if (finding.has_first) side(barrier ? "arrived" : "held", finding, finding.first);
    }
    for (const Note& note : notes(finding)) {
      label(note.label, printable(note.text));
      // Of a lock the one line says it all; of threads that met, all is evidence.
      if (note.label == "met") {
        stack(*note.stack, options_.most_frames, false);
      } else if (note.label != "lock") {
        note_stack(*note.stack);
      }
    }
    if (group == RuleGroup::kKernel) {
      lines("found", finding.missing_text);
    } else if (!finding.missing_text.empty()) {
      label("missing", printable(finding.missing_text));
    }
    const std::string_view remedy =
        finding.advice.empty() ? info(finding.rule).remedy : std::string_view(finding.advice);
    label("change", paint(Ink::kFix, printable(remedy)));
    if (finding.count > 1) {
      label("seen", "also seen " + plural(finding.count - 1, "more time", "more times"));
    }
    const std::string line = options_.suppression ? paste_line(finding) : std::string();
    if (!line.empty()) label("suppress", paint(Ink::kDim, line));
  }

  std::string take() { return std::move(out_); }

  std::string paint(Ink ink, std::string text) const {
    if (!options_.colour || text.empty()) return text;
    return std::string(code_of(ink)) + text + "\x1b[0m";
  }

 private:
  void heading(const Finding& finding) {
    const bool is_error = severity(finding.rule) == "error";
    const std::string tag =
        std::string(severity(finding.rule)) + "[" + std::string(info(finding.rule).id) + "]";
    out_ += paint(is_error ? Ink::kError : Ink::kNote, tag) + ": ";
    out_ += paint(Ink::kBold, printable(headline(finding)));
    if (finding.baseline == BaselineStatus::kNew) out_ += " (new)";
    if (finding.baseline == BaselineStatus::kKnown) out_ += " (known)";
    out_ += '\n';
  }

  void label(std::string_view name, std::string_view text) {
    std::string padded(name);
    padded.resize(std::max(padded.size(), kLabelWidth), ' ');
    out_ += "  " + paint(Ink::kDim, padded);
    out_ += text;
    out_ += '\n';
  }

  // Where each block stands is one line each.
  void lines(std::string_view name, std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      label(name, printable(line));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      name = "";
    }
  }

  // Printing must not change what is pasted: only a line that a terminal shows as it is.
  static std::string paste_line(const Finding& finding) { return printable(paste_ready(finding)); }

  void side(std::string_view name, const Finding& finding, const Side& side) {
    const bool race = is_race(finding.rule);
    std::string text;
    if (has_access(finding, side)) {
      text = paint(Ink::kBold, access_text(side));
      if (side.access.size > 0 && side.access.addr != finding.addr) {
        text += " at " + hex(raw(side.access.addr));
      }
      text += " ";
    }
    text += "by " + paint(Ink::kBold, printable(thread_text(side)));
    if (race && !side.gpu && !side.rma) text += ", locks held: " + printable(locks_text(side));
    label(name, text);
    if (side.stack.empty()) {
      // A live run remembers only so many accesses; a trace may never have had stacks.
      const bool live = !finding.threads.empty();
      if (race) out_ += "    " + paint(Ink::kDim, live ? "(no longer known)" : "(no stack)") + "\n";
    } else {
      stack(side.stack, options_.most_frames, true);
    }
  }

  void frame_line(const CodeFrame& frame) {
    const std::string function = function_text(frame);
    const std::string where = where_text(frame);
    out_ += "    ";
    out_ += printable(function);
    if (!function.empty() && !where.empty()) out_ += "  ";
    out_ += paint(Ink::kDim, printable(where));
    out_ += '\n';
  }

  // From the program's own code on: that pthread_create creates threads is known.
  void note_stack(const Stack& frames) {
    const CodeFrame* own = own_frame(frames);
    const auto begin = own == nullptr ? frames.begin() : frames.begin() + (own - frames.data());
    const Stack shown(begin, frames.end());
    std::size_t lines = 0;
    for (const FoldedRun& run : folded(shown)) {
      if (++lines > kMostNoteFrames || !run.label.empty()) break;
      frame_line(shown[run.begin]);
    }
  }

  void dim_line(const std::string& text) { out_ += "    " + paint(Ink::kDim, text) + "\n"; }

  void stack(const Stack& frames, std::size_t most, bool with_excerpt) {
    const CodeFrame* own = own_frame(frames);
    std::size_t lines = 0;
    for (const FoldedRun& run : folded(frames)) {
      if (lines++ == most) {
        return dim_line("... " + plural(frames.size() - run.begin, "more caller", "more callers"));
      }
      if (!run.label.empty()) {
        dim_line("... " + run.label);
        continue;
      }
      frame_line(frames[run.begin]);
      // Below a library function, the excerpt is of the call.
      if (with_excerpt && &frames[run.begin] == own) excerpt(frames[run.begin]);
    }
  }

  void excerpt(const Frame& frame) {
    if (options_.sources == nullptr) return;
    const std::optional<Excerpt> found = options_.sources->excerpt(frame);
    if (!found) return;
    for (std::size_t i = 0; i < found->lines.size(); ++i) {
      const bool marked = i == found->marked;
      const std::string number = std::to_string(found->first_line + i);
      const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
      std::string line = (marked ? "    > " : "      ") + margin + number + " |";
      if (!found->lines[i].empty()) line += " " + found->lines[i];
      out_ += marked ? line : paint(Ink::kDim, line);
      out_ += '\n';
      if (marked && found->column > 0) {
        const std::string gap(std::max<std::size_t>(5, number.size()), ' ');
        out_ += "      " + gap + " | " + std::string(found->column - 1, ' ') +
                paint(Ink::kError, "^") + "\n";
      }
    }
  }

  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string write_text(const Finding& finding, const TextOptions& options) {
  Printer printer(options);
  printer.finding(finding);
  return printer.take();
}

std::string write_findings(const Report& report, const TextOptions& options) {
  const Printer plain(options);
  std::string out;
  std::uint64_t shown = 0;
  for (const Cause& cause : by_cause(report.findings)) {
    const std::string head = heading(cause);
    for (const std::size_t i : cause.findings) {
      if (options.most_findings != 0 && shown == options.most_findings) {
        return out + "... and " +
               plural(report.findings.size() - shown, "more finding", "more findings") +
               " (--max-findings=0 prints all)\n\n";
      }
      if (!head.empty() && i == cause.findings.front()) {
        out += plain.paint(Ink::kBold, printable(head)) + ":\n\n";
      }
      out += write_text(report.findings[i], options) + "\n";
      ++shown;
    }
  }
  return out;
}

std::string write_causes(const Report& report) {
  std::string out;
  for (const Cause& cause : by_cause(report.findings)) {
    if (cause.findings.size() > 1) out += "  " + printable(heading(cause)) + "\n";
  }
  return out;
}

std::string write_end(const Report& report, const TextOptions& options) {
  const Printer plain(options);
  const std::string left_out = printable(unchecked_text(report));
  const Ink ink = report.findings.empty() ? Ink::kFix : Ink::kBold;
  return (left_out.empty() ? "" : "redflag: " + left_out + "\n") +
         plain.paint(ink, printable(summary(report))) + "\n";
}

std::string write_text(const Report& report, const TextOptions& options) {
  return write_findings(report, options) + write_end(report, options);
}

std::string summary(const Report& report) {
  std::uint64_t predicted = 0;
  std::uint64_t misused = 0;
  std::uint64_t fresh = 0;
  std::uint64_t seen = 0;
  bool compared = false;
  for (const Finding& finding : report.findings) {
    predicted += info(finding.rule).group == RuleGroup::kPrediction;
    misused += !is_race(finding.rule);
    fresh += finding.baseline == BaselineStatus::kNew;
    compared |= finding.baseline != BaselineStatus::kNone;
    seen = add_saturating(seen, finding.count);
  }
  const std::uint64_t proved = report.findings.size() - predicted - misused;
  std::string text = "redflag: ";
  text += proved == 0 ? "no races" : plural(proved, "race", "races");
  if (predicted > 0) text += ", " + plural(predicted, "prediction", "predictions");
  if (misused > 0) text += ", " + plural(misused, "misuse", "misuses");
  if (compared) text += " (" + with_separators(fresh) + " new)";
  if (seen > report.findings.size()) text += ", seen " + plural(seen, "time", "times");
  if (report.suppressed > 0) text += "; " + with_separators(report.suppressed) + " suppressed";
  if (report.dropped > 0) {
    text += "; " + with_separators(report.dropped) + " more beyond the limit, not shown";
  }
  if (!report.detector.empty()) text += "; " + report.detector;
  if (report.events > 0) text += ", " + plural(report.events, "event", "events");
  return text;
}

}  // namespace redflag
