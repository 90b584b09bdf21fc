#include "frontends/cpu/collect/collector.h"

#include <algorithm>
#include <utility>

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
  return true;
}

wire::Reply Collector::on_race(std::uint32_t pid, std::span<const std::byte> bytes) {
  const Result<wire::RaceMessage> message = wire::decode_race(bytes);
  if (!message) {
    wrong(pid, message.error().message);
    return reply(pid, wire::Verdict::kSuppressed);
  }
  const wire::Verdict verdict =
      add(pid, pid, resolve(*message, symbolize::read_maps(pid), symbolizer_));
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

wire::Verdict Collector::add(std::uint32_t pid, std::uint32_t shown, Finding finding) {
  if (options_.suppressions != nullptr && options_.suppressions->takes(finding)) {
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

void Collector::print(std::uint32_t pid, const Finding& finding) {
  if (!options_.print) return;
  if (options_.most_printed != 0 && printed_ >= options_.most_printed) return;
  ++printed_;
  if (options_.format == Format::kTsan) {
    const auto build_id = [this](const std::string& path) { return symbolizer_.build_id(path); };
    options_.print(write_tsan(finding, {.pid = pid, .build_id = build_id}));
  } else {
    options_.print(write_text(finding, {.colour = options_.colour, .sources = options_.sources}) +
                   "\n");
  }
}

void Collector::on_bye(std::uint32_t pid, std::span<const std::byte> bytes) {
  const Result<wire::Bye> bye = wire::decode_bye(bytes);
  if (!bye) return wrong(pid, bye.error().message);
  process(pid).said_bye = true;
  figures_.shadow_bytes = std::max(figures_.shadow_bytes, bye->shadow_bytes);
  figures_.history_bytes = std::max(figures_.history_bytes, bye->history_bytes);
  figures_.slow_accesses = add_saturating(figures_.slow_accesses, bye->slow_accesses);
  figures_.sweeps = add_saturating(figures_.sweeps, bye->sweeps);
  figures_.sampled_regions = add_saturating(figures_.sampled_regions, bye->sampled_regions);
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
  processes_.clear();
  return report;
}

}  // namespace redflag::collect
