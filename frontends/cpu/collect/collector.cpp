#include "frontends/cpu/collect/collector.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/report/known.h"
#include "core/report/text.h"
#include "core/report/tsan_text.h"
#include "core/report/words.h"
#include "frontends/cpu/collect/between.h"
#include "frontends/cpu/collect/resolve.h"
#include "frontends/cpu/wire/decode.h"

namespace redflag::collect {
namespace {

// Both stacks in full, in either order.
std::string stacks_key(const Finding& finding) {
  std::string sides[2];
  for (const Side* side : {&finding.first, &finding.second}) {
    std::string& key = sides[side == &finding.second];
    for (const CodeFrame& frame : side->stack) key += frame.module + hex(frame.offset) + ";";
  }
  if (sides[1] < sides[0]) std::swap(sides[0], sides[1]);
  return std::string(info(finding.rule).id) + "|" + sides[0] + "|" + sides[1];
}

}  // namespace

Collector::Collector(CollectorOptions options) : options_(std::move(options)) {}
Collector::~Collector() = default;

Collector::Process& Collector::process(std::uint32_t pid) {
  return processes_[pid];
}

// Once for each process: whatever broke its first message breaks the next thousand.
void Collector::wrong(std::uint32_t pid, const std::string& what) {
  Process& from = process(pid);
  if (std::exchange(from.complained, true) || !options_.complain) return;
  options_.complain("process " + std::to_string(pid) + " sent " + what);
}

wire::Reply Collector::reply(std::uint32_t pid, wire::Verdict verdict) {
  wire::Reply reply;
  reply.verdict = verdict;
  reply.findings = static_cast<std::uint32_t>(process(pid).findings.size());
  return reply;
}

bool Collector::on_hello(std::uint32_t pid, std::span<const std::byte> bytes) {
  processes_[pid] = {};  // a pid may come again
  const Result<wire::Hello> hello = wire::decode_hello(bytes);
  if (!hello) {
    if (options_.complain) {
      options_.complain("process " + std::to_string(pid) + ": " + hello.error().message);
    }
    processes_.erase(pid);
    return false;
  }
  ++figures_.processes;
  libraries_.add(symbolize::read_maps(pid));
  return true;
}

wire::Reply Collector::on_race(std::uint32_t pid, std::span<const std::byte> bytes) {
  const Result<wire::RaceMessage> message = wire::decode_race(bytes);
  if (!message) {
    wrong(pid, message.error().message);
    return reply(pid, wire::Verdict::kSuppressed);
  }
  const symbolize::ProcessMap map = symbolize::read_maps(pid);
  libraries_.add(map);
  const wire::Race& race = message->race;
  const Evidence evidence{.earlier_addr = Addr{race.first_addr},
                          .never_made = race.history == wire::History::kDenied,
                          .locks_may_not_order = race.sync_ignored != 0};
  const wire::Verdict verdict = add(pid, pid, resolve(*message, map, symbolizer_), evidence);
  return reply(pid, verdict);
}

wire::Reply Collector::on_met(std::uint32_t pid, std::span<const std::byte> bytes) {
  const Result<wire::RaceMessage> message = wire::decode_met(bytes);
  if (!message) {
    wrong(pid, message.error().message);
  } else if (options_.met) {
    Finding half = resolve(*message, symbolize::read_maps(pid), symbolizer_);
    options_.met(message->race.met_side, std::move(half.second));
  }
  return reply(pid, wire::Verdict::kDuplicate);
}

wire::Reply Collector::on_between(std::uint32_t pid, std::span<const std::byte> file) {
  BetweenReplay replay = replay_between(file, symbolizer_);
  if (!replay.note.empty() && options_.complain) options_.complain(replay.note);
  wire::Verdict verdict = wire::Verdict::kDuplicate;
  for (std::size_t i = 0; i < replay.findings.size(); ++i) {
    const wire::Verdict of_it = add(pid, replay.pids[i], std::move(replay.findings[i]));
    if (of_it == wire::Verdict::kReported) verdict = of_it;
  }
  return reply(pid, verdict);
}

wire::Verdict Collector::add(std::uint32_t pid, std::uint32_t shown, Finding finding,
                             const Evidence& evidence) {
  if (const Fault fault = fault_of(finding, evidence); fault != Fault::kNone) {
    ++faults_;
    if (options_.fault) options_.fault(shown, finding, fault);
    return wire::Verdict::kSuppressed;
  }
  if (known_race(finding) != nullptr ||
      (options_.suppressions != nullptr && options_.suppressions->takes(finding))) {
    ++suppressed_;
    return wire::Verdict::kSuppressed;
  }
  const bool other_stacks =
      options_.format == Format::kTsan && printed_stacks_.insert(stacks_key(finding)).second;
  if (other_stacks) print(shown, finding);
  const Folder::Place place = folder_.put(std::move(finding));
  process(pid).findings.insert(place.index);
  if (options_.format == Format::kText && place.is_new)
    print(shown, folder_.findings()[place.index]);
  const bool reported = place.is_new || other_stacks;
  return reported ? wire::Verdict::kReported : wire::Verdict::kDuplicate;
}

void Collector::on_finding(Finding finding) {
  if (options_.suppressions != nullptr && options_.suppressions->takes(finding)) {
    ++suppressed_;
    return;
  }
  const Folder::Place place = folder_.put(std::move(finding));
  if (place.is_new) print(0, folder_.findings()[place.index]);
}

void Collector::on_unchecked(Unchecked one) {
  if (std::find(unchecked_.begin(), unchecked_.end(), one) == unchecked_.end()) {
    unchecked_.push_back(std::move(one));
  }
}

void Collector::print_text(std::uint32_t pid, const std::string& text) {
  if (options_.print_of) return options_.print_of(pid, text);
  if (options_.print) options_.print(text);
}

void Collector::print(std::uint32_t pid, const Finding& finding) {
  if (!options_.print && !options_.print_of) return;
  if (options_.most_printed != 0 && printed_ >= options_.most_printed) return;
  ++printed_;
  ++printed_of_[pid];
  if (options_.format == Format::kText) {
    const TextOptions text{.colour = options_.colour, .sources = options_.sources};
    return print_text(pid, write_text(finding, text) + "\n");
  }
  const auto build_id = [this](const std::string& path) { return symbolizer_.build_id(path); };
  TsanOptions options{.pid = pid, .build_id = build_id};
  options.strip_path_prefix = options_.strip_path_prefix;
  options.all_threads = options_.full_thread_history;
  print_text(pid, write_tsan(finding, options));
}

void Collector::on_words(std::uint32_t pid, std::span<const std::byte> bytes) {
  wire::Words words;
  if (bytes.size() < sizeof(words)) return wrong(pid, "words without their beginning");
  std::memcpy(&words, bytes.data(), sizeof(words));
  if (words.about > wire::About::kReportFd) return wrong(pid, "words about nothing known");
  const std::span<const std::byte> rest = bytes.subspan(sizeof(words));
  if (!options_.words) return;
  options_.words(pid, words.about,
                 std::string_view(reinterpret_cast<const char*>(rest.data()), rest.size()));
}

wire::Answer Collector::on_question(std::uint32_t pid, std::span<const std::byte> bytes) {
  wire::Answer answer;
  wire::Question question;
  if (bytes.size() != sizeof(question)) {
    wrong(pid, "a question of the wrong size");
    return answer;
  }
  std::memcpy(&question, bytes.data(), sizeof(question));
  const symbolize::ProcessMap map = symbolize::read_maps(pid);
  const auto put = [](auto& field, const std::string& text) {
    std::memcpy(field, text.data(), std::min(text.size(), sizeof(field) - 1));
  };
  if (question.is_code != 0) {
    // As ThreadSanitizer takes it: a return address, of the call before it.
    const CodeFrame frame = symbolizer_.frames(map, question.addr - 1).front();
    answer.known = frame.function.empty() && frame.module.empty() ? 0 : 1;
    answer.addr = frame.offset;
    answer.line = frame.line;
    answer.column = frame.column;
    put(answer.name, frame.function);
    put(answer.file, frame.file);
    put(answer.module, frame.module);
  } else if (const auto variable = symbolizer_.variable(map, question.addr)) {
    answer.known = 1;
    answer.addr = variable->address;
    answer.size = variable->size;
    answer.line = variable->declared.line;
    put(answer.name, variable->name);
    put(answer.file, variable->declared.file);
    put(answer.module, variable->module);
  }
  return answer;
}

wire::Reply Collector::on_stack(std::uint32_t pid, std::span<const std::byte> bytes) {
  const Result<wire::RaceMessage> message = wire::decode_race(bytes);
  if (!message) {
    wrong(pid, message.error().message);
  } else {
    const Finding shown = resolve(*message, symbolize::read_maps(pid), symbolizer_);
    print_text(pid, write_tsan_stack(shown.second.stack));
  }
  return reply(pid, wire::Verdict::kDuplicate);
}

void Collector::on_bye(std::uint32_t pid, std::span<const std::byte> bytes) {
  const Result<wire::Bye> bye = wire::decode_bye(bytes);
  if (!bye) return wrong(pid, bye.error().message);
  process(pid).said_bye = true;
  libraries_.add(symbolize::read_maps(pid));  // as far as it is still there
  figures_.shadow_bytes = std::max(figures_.shadow_bytes, bye->shadow_bytes);
  figures_.history_bytes = std::max(figures_.history_bytes, bye->history_bytes);
  figures_.slow_accesses = add_saturating(figures_.slow_accesses, bye->slow_accesses);
  figures_.sweeps = add_saturating(figures_.sweeps, bye->sweeps);
  figures_.sampled_regions = add_saturating(figures_.sampled_regions, bye->sampled_regions);
  figures_.unknown_threads = std::max(figures_.unknown_threads, bye->unknown_threads);
  figures_.sampled_checks = add_saturating(figures_.sampled_checks, bye->sampled_checks);
}

void Collector::on_closed(std::uint32_t pid) {
  const auto at = processes_.find(pid);
  if (at == processes_.end()) return;
  figures_.crashed += !at->second.said_bye;
  processes_.erase(at);
}

std::string Collector::last_words() const {
  return options_.format == Format::kTsan ? tsan_last_line(printed_) : std::string();
}

Report Collector::finish() {
  Report report;
  report.findings = folder_.take();
  report.suppressed = suppressed_;
  report.unchecked = libraries_.unchecked(symbolizer_);
  if (figures_.unknown_threads > 0) {
    report.unchecked.push_back(
        {.kind = Unchecked::Kind::kThread, .name = "", .count = figures_.unknown_threads});
  }
  std::move(unchecked_.begin(), unchecked_.end(), std::back_inserter(report.unchecked));
  unchecked_.clear();
  // Which build it was, for whoever looks at these addresses later (redflag confirm).
  std::set<std::string> paths;
  for (const Finding& finding : report.findings) {
    for (const Side* side : {&finding.first, &finding.second}) {
      for (const CodeFrame& frame : side->stack) {
        if (!frame.module.empty()) paths.insert(frame.module);
      }
    }
  }
  for (const std::string& path : paths)
    report.modules.push_back({path, symbolizer_.build_id(path)});
  const auto add = [&](const char* name, std::uint64_t value, const char* unit) {
    if (value > 0) report.stats.push_back({name, static_cast<double>(value), unit});
  };
  add("processes", figures_.processes, "");
  add("processes that ended without a word", figures_.crashed, "");
  add("shadow memory", figures_.shadow_bytes, "bytes");
  add("history memory", figures_.history_bytes, "bytes");
  add("slow accesses", figures_.slow_accesses, "");
  add("sweeps", figures_.sweeps, "");
  add("sampled calls and iterations", figures_.sampled_regions, "");
  add("sampled accesses", figures_.sampled_checks, "");
  add("findings that contradict themselves", faults_, "");
  processes_.clear();
  return report;
}

}  // namespace redflag::collect
