#include "cli/scan.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <unordered_set>

#include "cli/interrupt.h"
#include "core/trace/check.h"
#include "core/trace/text_writer.h"

namespace redflag::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The program's memory, as the pages it used: what the kernel would have given it.
class TouchedPages {
 public:
  void add(std::span<const Event> events) {
    for (const Event& e : events) {
      if (!is_access(e.kind) || e.kind == EventKind::kAlloc || e.kind == EventKind::kFree) continue;
      const std::uint64_t first = e.object / kPage;
      const std::uint64_t last = (e.object + e.size - 1) / kPage;
      if (first == last_ && last == last_) continue;
      for (std::uint64_t page = first; page <= last; ++page) pages_.insert(page);
      last_ = last;
    }
  }
  std::uint64_t bytes() const { return pages_.size() * kPage; }

 private:
  static constexpr std::uint64_t kPage = 4096;
  std::unordered_set<std::uint64_t> pages_;
  std::uint64_t last_ = ~std::uint64_t{0};
};

// Everything one scan holds, in the order in which it must go away.
class Scan {
 public:
  Scan(const Input& input, const ScanOptions& options, Shard shard,
       std::unique_ptr<EventReader> reader)
      : input_(input), options_(options), shard_(shard), reader_(std::move(reader)) {
    DetectorOptions made;
    made.memory = &memory_;
    made.sink = &races_;
    made.shard = shard;
    made.volatile_meaning = options.volatile_meaning;
    const bool roots = options.threads_appear.value_or(reader_->format_name() == "std");
    made.threads_appear = roots;
    made.print = [this](const Event& e) { print_event(e); };
    detector_ = options.detector->make(made);
    // One checker is enough: every shard sees every event.
    if (options.check && shard.index == 0) {
      checker_.emplace(StreamChecker::Options{.roots_allowed = roots},
                       [this](const StreamReport& report) { on_problem(report); });
    }
  }

  Result<ScanResult> run(Progress* progress, const std::atomic<bool>& stop) {
    for (;;) {
      const Result<std::span<const Event>> batch =
          options_.figures ? timed_next() : reader_->next();
      if (!batch) return fail(input_.renamed(batch.error().message));
      if (batch->empty()) break;
      const EventIndex first{result_.events};
      if (options_.figures) {
        timed_events(*batch, first);
      } else {
        detector_->on_events(*batch, first);
      }
      result_.events += batch->size();
      if (checker_) checker_->add(*batch, reader_->sources());
      if (progress != nullptr) progress->update(*reader_, result_.events);
      if (interrupted() || stop.load(std::memory_order_relaxed)) return fail("interrupted");
    }
    return finish();
  }

 private:
  Result<std::span<const Event>> timed_next() {
    const Clock::time_point start = Clock::now();
    Result<std::span<const Event>> batch = reader_->next();
    figures_.read_seconds += seconds_since(start);
    return batch;
  }

  void timed_events(std::span<const Event> batch, EventIndex first) {
    const Clock::time_point start = Clock::now();
    detector_->on_events(batch, first);
    figures_.detect_seconds += seconds_since(start);
    figures_.peak_bytes = std::max<std::uint64_t>(figures_.peak_bytes, detector_->metadata_bytes());
    if (shard_.index == 0) touched_.add(batch);
  }

  Result<ScanResult> finish() {
    detector_->finish();
    if (checker_) {
      checker_->finish(reader_->sources());
      result_.errors = checker_->count(Severity::kError);
    }
    flush_events();
    result_.races = races_.races();
    result_.dropped = races_.dropped();
    result_.broken_promise = detector_->broken_promise();
    // What `count` counts is its result, wanted or not.
    if (options_.figures || !options_.detector->finds_races) {
      figures_.counters = detector_->stats();
      figures_.peak_bytes =
          std::max<std::uint64_t>(figures_.peak_bytes, memory_.peak_bytes_in_use());
      figures_.touched_bytes = touched_.bytes();
      result_.figures.push_back(std::move(figures_));
    }
    return std::move(result_);
  }

  void on_problem(const StreamReport& report) {
    if (info(report.problem).severity == Severity::kError) {
      result_.problems.push_back(report.message);
    }
  }

  void print_event(const Event& e) {
    printed_ += to_text(e) + "\n";
    if (printed_.size() >= kPrintBytes) flush_events();
  }

  void flush_events() {
    std::fwrite(printed_.data(), 1, printed_.size(), stdout);
    printed_.clear();
  }

  static constexpr std::size_t kPrintBytes = std::size_t{1} << 16;

  const Input& input_;
  const ScanOptions& options_;
  Shard shard_;
  std::unique_ptr<EventReader> reader_;
  PageResource memory_;
  RaceCollector races_;
  ScanResult result_;
  ScanFigures figures_;
  TouchedPages touched_;
  std::string printed_;
  std::optional<StreamChecker> checker_;
  std::unique_ptr<Detector> detector_;  // last: it gives its memory back to the one above
};

}  // namespace

Result<ScanResult> scan(const Input& input, const ScanOptions& options, Shard shard,
                        Progress* progress, const std::atomic<bool>& stop) {
  Result<std::unique_ptr<EventReader>> reader = input.read();
  if (!reader) return Failure(reader.error());
  return Scan(input, options, shard, std::move(*reader)).run(progress, stop);
}

Result<ScanResult> scan_shards(const Input& input, const ScanOptions& options, std::uint32_t first,
                               std::uint32_t jobs, std::uint32_t count, Progress* progress) {
  std::atomic<bool> stop = false;
  std::vector<Result<ScanResult>> results(jobs);
  std::vector<std::exception_ptr> thrown(jobs);
  const auto work = [&](std::uint32_t i) {
    try {
      results[i] = scan(input, options, {first + i, count}, i == 0 ? progress : nullptr, stop);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
    if (thrown[i] || !results[i]) stop = true;
  };
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i < jobs; ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& fault : thrown) {
    if (fault) std::rethrow_exception(fault);
  }
  std::vector<ScanResult> shards;
  std::string stopped;
  for (Result<ScanResult>& result : results) {
    if (result) {
      shards.push_back(std::move(*result));
    } else if (stopped.empty() || stopped == "interrupted") {
      stopped = result.error().message;
    }
  }
  if (!stopped.empty()) return fail(stopped);
  return combine(std::move(shards));
}

ScanResult combine(std::vector<ScanResult> shards) {
  if (shards.size() == 1) return std::move(shards.front());
  ScanResult all;
  for (ScanResult& shard : shards) {
    all.events = std::max(all.events, shard.events);
    all.dropped += shard.dropped;
    all.errors += shard.errors;
    all.races.insert(all.races.end(), shard.races.begin(), shard.races.end());
    for (std::string& problem : shard.problems) all.problems.push_back(std::move(problem));
    for (ScanFigures& figures : shard.figures) all.figures.push_back(std::move(figures));
    if (all.broken_promise.empty()) all.broken_promise = shard.broken_promise;
  }
  const RaceCollector merged = RaceCollector::merge(std::move(all.races), all.dropped);
  all.races = merged.races();
  all.dropped = merged.dropped();
  return all;
}

}  // namespace redflag::cli
