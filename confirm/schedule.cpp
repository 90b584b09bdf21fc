#include "confirm/schedule.h"

#include <charconv>
#include <optional>
#include <sstream>

namespace redflag::confirm {
namespace {

constexpr std::string_view kFirstLine = "redflag-schedule 1";
constexpr std::array<std::string_view, 3> kDeferNames{"at-once", "later", "reversed"};
constexpr std::array<std::string_view, 2> kNoYes{"no", "yes"};
// As in frontends/cpu/wire/hold.h: a rank and 1, and whether it is an operation.
constexpr std::uint32_t kOperation = 0x80000000;

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names,
                                    std::string_view word) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == word) return i;
  }
  return {};
}

template <typename Number>
bool read_number(std::string_view word, Number& to) {
  const auto [rest, fault] = std::from_chars(word.data(), word.data() + word.size(), to);
  return fault == std::errc{} && rest == word.data() + word.size();
}

bool read_arrival(std::string_view word, Arrival& to) {
  const std::size_t colon = word.find(':');
  return colon != std::string_view::npos && read_number(word.substr(0, colon), to.thread) &&
         read_number(word.substr(colon + 1), to.count);
}

// Words of a line, taken one by one; a word that is not as it should be leaves nothing.
class Line {
 public:
  explicit Line(const std::string& text) : words_(text) {}

  bool is(std::string_view wanted) { return next() == wanted; }
  bool ends() { return next().empty(); }
  std::string next() {
    std::string word;
    words_ >> word;
    return word;
  }
  template <typename Number>
  bool number(std::string_view name, Number& to) {
    return is(name) && read_number(next(), to);
  }

 private:
  std::istringstream words_;
};

bool read_how(const std::string& text, Trial& trial) {
  Line line(text);
  const bool has_numbers = line.number("hold", trial.patience) &&
                           line.number("budget", trial.budget) && line.number("seed", trial.seed);
  if (!has_numbers || !line.is("defer")) return false;
  const auto defer = index_of(kDeferNames, line.next());
  if (!defer) return false;
  trial.attempts.front().defer = static_cast<Defer>(*defer);
  return line.ends();
}

bool read_side(const std::string& text, std::size_t side, Attempt& attempt) {
  Line line(text);
  std::size_t number = 0;
  if (!line.number("side", number) || number != side + 1 || !line.is("held")) return false;
  const auto held = index_of(kNoYes, line.next());
  if (!held) return false;
  attempt.held[side] = *held == 1;
  std::string word = line.next();
  if (word.empty()) return true;
  if (word != "at") return false;
  for (word = line.next(); !word.empty(); word = line.next()) {
    Arrival arrival;
    if (!read_arrival(word, arrival)) return false;
    attempt.hints[side].push_back(arrival);
  }
  return true;
}

std::string who(const Arrival& arrival) {
  const std::uint32_t rank = arrival.thread >> 16 & 0x7fff;
  std::string text;
  if (rank != 0) text = "rank " + std::to_string(rank - 1);
  if ((arrival.thread & kOperation) != 0) return text + "'s operation";
  const std::uint32_t number = rank != 0 ? arrival.thread & 0xffff : arrival.thread;
  if (rank == 0) return "thread " + std::to_string(number);
  return number == 0 ? text : text + ", thread " + std::to_string(number);
}

}  // namespace

Schedule schedule_of(std::string finding, const Trial& trial, std::size_t attempt,
                     const Outcome& outcome) {
  Schedule made;
  made.finding = std::move(finding);
  made.trial = trial;
  made.trial.attempts = {trial.attempts[attempt]};
  Attempt& mine = made.trial.attempts.front();
  mine.only_hints = true;
  for (std::size_t s = 0; s < 2; ++s) mine.hints[s] = {outcome.places[s].arrival};
  return made;
}

std::string write_schedules(const std::vector<Schedule>& schedules) {
  std::string text(kFirstLine);
  text += "\n";
  for (const Schedule& each : schedules) {
    const Attempt& attempt = each.trial.attempts.front();
    text += "finding " + each.finding + "\n";
    text += "hold " + std::to_string(each.trial.patience) + " budget " +
            std::to_string(each.trial.budget) + " seed " + std::to_string(each.trial.seed) +
            " defer " + std::string(kDeferNames[static_cast<std::size_t>(attempt.defer)]) + "\n";
    for (std::size_t s = 0; s < 2; ++s) {
      text +=
          "side " + std::to_string(s + 1) + " held " + std::string(kNoYes[attempt.held[s] ? 1 : 0]);
      if (!attempt.hints[s].empty()) text += " at";
      for (const Arrival& arrival : attempt.hints[s]) {
        text += " " + std::to_string(arrival.thread) + ":" + std::to_string(arrival.count);
      }
      text += "\n";
    }
    text += "end\n";
  }
  return text;
}

Result<std::vector<Schedule>> read_schedules(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  std::vector<Schedule> all;
  std::size_t number = 1;
  const auto next = [&] {
    ++number;
    return static_cast<bool>(std::getline(lines, line));
  };
  if (!std::getline(lines, line) || line != kFirstLine) {
    return fail("line 1: needed '" + std::string(kFirstLine) + "', found '" + line.substr(0, 60) +
                "'");
  }
  while (next()) {
    Schedule made;
    made.trial.attempts.emplace_back();
    Attempt& attempt = made.trial.attempts.front();
    attempt.only_hints = true;
    Line first(line);
    const bool is_right = first.is("finding") && !(made.finding = first.next()).empty() &&
                          first.ends() && next() && read_how(line, made.trial) && next() &&
                          read_side(line, 0, attempt) && next() && read_side(line, 1, attempt) &&
                          next() && line == "end";
    if (!is_right) {
      return fail("line " + std::to_string(number) + ": not a line of a schedule: '" +
                  line.substr(0, 60) + "'");
    }
    all.push_back(std::move(made));
  }
  if (all.empty()) return fail("there is no schedule in it");
  return all;
}

std::string schedule_text(const Schedule& schedule) {
  const Attempt& attempt = schedule.trial.attempts.front();
  std::string text;
  for (std::size_t s = 0; s < 2; ++s) {
    if (attempt.hints[s].empty()) continue;
    const Arrival& arrival = attempt.hints[s].front();
    if (!text.empty()) text += "; ";
    text += who(arrival) + ", time " + std::to_string(arrival.count) + " at the " +
            (s == 0 ? "first" : "second") + " statement, " +
            (attempt.held[s] ? "held up to " + std::to_string(schedule.trial.patience) + " ms"
                             : std::string("not held"));
  }
  if (attempt.defer == Defer::kLater) text += "; operations done when they had to be complete";
  if (attempt.defer == Defer::kReversed) text += "; the same, the last first";
  return text;
}

}  // namespace redflag::confirm
