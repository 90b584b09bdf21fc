#include "frontends/cuda/device/stream_source.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <utility>

namespace redflag::device {
namespace {

using Clock = std::chrono::steady_clock;

// How long the reader sleeps when there is nothing to read: not at all, then longer and longer.
class Patience {
 public:
  void reset() { turns_ = 0; }
  void rest() {
    if (++turns_ < 64) {
      std::this_thread::yield();
      return;
    }
    const unsigned doublings = turns_ / 64 < 5 ? turns_ / 64 : 5;
    std::this_thread::sleep_for(std::chrono::microseconds(10U << doublings));
  }

 private:
  unsigned turns_ = 0;
};

}  // namespace

StreamSource::StreamSource(DeviceMemory& memory, gpu::Sink& sink, const StreamOptions& options)
    : memory_(memory), sink_(sink), images_(memory), options_(options) {}

StreamSource::~StreamSource() {
  {
    const std::scoped_lock lock(mutex_);
    stops_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

Result<std::uint64_t> StreamSource::state() {
  if (state_ != 0) return state_;
  const std::uint64_t bytes = options_.ring_words * 8;
  const Result<DeviceMemory::Mapped> ring = memory_.allocate_mapped(bytes);
  if (!ring) return Failure(ring.error());
  const Result<DeviceMemory::Mapped> passed = memory_.allocate_mapped(128);
  if (!passed) return Failure(passed.error());
  const Result<std::uint64_t> made = memory_.allocate(sizeof(StreamState));
  if (!made) return Failure(made.error());
  StreamState state;
  state.ring = ring->device;
  state.passed = passed->device;
  state.word_mask = options_.ring_words - 1;
  memory_.write(*made, std::as_bytes(std::span(&state, 1)));
  reader_.emplace(reinterpret_cast<std::uint64_t*>(ring->host), options_.ring_words,
                  reinterpret_cast<std::uint64_t*>(passed->host));
  heard_ = Clock::now();
  thread_ = std::thread([this] { read_queue(); });
  state_ = *made;
  images_.begin(state_ + offsetof(StreamState, images));
  return state_;
}

void StreamSource::launch_begins(const gpu::Launch& launch) {
  auto running = std::make_unique<Running>();
  running->launch = launch;
  const std::scoped_lock lock(mutex_);
  log_.emplace_back(std::move(running));
  advance();
}

void StreamSource::launch_ends(gpu::LaunchId launch) {
  const std::scoped_lock lock(mutex_);
  if (Running* const running = find(raw(launch))) running->ended = true;
  heard_ = Clock::now();
  silent_ = false;
  advance();
}

void StreamSource::host(const gpu::HostStep& step) {
  const std::scoped_lock lock(mutex_);
  log_.emplace_back(step);
  advance();
}

std::unique_lock<std::mutex> StreamSource::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return settled(); });
  return lock;
}

bool StreamSource::settled() const {
  if (log_.empty()) return true;
  const auto* const running = std::get_if<std::unique_ptr<Running>>(&log_.front());
  return running != nullptr && !(*running)->ended;
}

StreamSource::Running* StreamSource::find(std::uint32_t launch) {
  for (Entry& each : log_) {
    auto* const running = std::get_if<std::unique_ptr<Running>>(&each);
    if (running != nullptr && raw((*running)->launch.id) == launch) return running->get();
  }
  return nullptr;
}

void StreamSource::deliver(std::span<const std::uint64_t> record) {
  ++records_;
  Running* const running = record.size() < kHeadWords ? nullptr : find(launch_of(record));
  if (running != nullptr && !running->told) {
    running->kept.push_back(record.size());
    running->kept.insert(running->kept.end(), record.begin(), record.end());
    kept_words_ += record.size() + 1;
    most_kept_words_ = std::max(most_kept_words_, kept_words_);
    return;
  }
  StreamEvent event;
  if (running != nullptr && unpack(record, event)) {
    running->steps->event(event);
  } else {
    ++strangers_;
  }
}

void StreamSource::advance() {
  while (!log_.empty()) {
    if (const auto* const step = std::get_if<gpu::HostStep>(&log_.front())) {
      sink_.host(*step);
      log_.pop_front();
      continue;
    }
    Running& running = *std::get<std::unique_ptr<Running>>(log_.front());
    if (!running.told) {
      running.told = true;
      sink_.launch_begins(running.launch);
      running.steps = std::make_unique<StreamSteps>(running.launch, sink_, heap_);
      const std::vector<std::uint64_t> kept = std::exchange(running.kept, {});
      kept_words_ -= kept.size();
      for (std::size_t at = 0; at < kept.size(); at += kept[at] + 1) {
        StreamEvent event;
        if (unpack(std::span(kept).subspan(at + 1, kept[at]), event)) running.steps->event(event);
      }
    }
    if (!running.ended || !(running.steps->all_threads_ended() || silent_)) break;
    cut_off_ += running.steps->all_threads_ended() ? 0 : 1;
    running.steps->finish();
    sink_.launch_ends(running.launch.id);
    log_.pop_front();
  }
  if (settled()) changed_.notify_all();
}

void StreamSource::read_queue() {
  constexpr unsigned kBatch = 256;  // records that are told without giving others the lock
  Patience patience;
  while (true) {
    bool any = false;
    {
      const std::scoped_lock lock(mutex_);
      for (unsigned i = 0; i < kBatch; ++i) {
        const std::span<const std::uint64_t> record = reader_->next();
        if (record.empty()) break;
        deliver(record);
        any = true;
      }
      if (any) {
        heard_ = Clock::now();
        silent_ = false;
        advance();
      } else if (stops_) {
        return;
      } else if (Clock::now() - heard_ > std::chrono::milliseconds(options_.silence_ms)) {
        silent_ = true;
        heard_ = Clock::now();
        advance();
      }
    }
    if (any) {
      patience.reset();
    } else {
      patience.rest();
    }
  }
}

std::vector<Counter> StreamSource::stats() {
  const std::scoped_lock lock(mutex_);
  const auto count = [](const char* name, std::uint64_t value) {
    return Counter{name, static_cast<double>(value), ""};
  };
  const std::uint64_t words = reader_ ? reader_->position() : 0;
  return {count("events", records_),
          count("events of no known launch", strangers_),
          count("launches that were cut off", cut_off_),
          {"queue, all that went through", static_cast<double>(words) * 8, "bytes"},
          {"events that waited for an earlier launch, at most",
           static_cast<double>(most_kept_words_) * 8, "bytes"}};
}

}  // namespace redflag::device
