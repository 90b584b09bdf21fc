#include "frontends/cuda/device/stream_reader.h"

#include <atomic>

namespace redflag::device {

std::span<const std::uint64_t> StreamReader::next() {
  const std::uint64_t first =
      std::atomic_ref<std::uint64_t>(word(position_)).load(std::memory_order_acquire);
  if (first == 0) {
    publish();
    return {};
  }
  const std::size_t count = RecordHead::of(first).words;
  for (std::size_t i = 0; i < count && i < kMostWords; ++i) {
    record_[i] = word(position_ + i);
    word(position_ + i) = 0;
  }
  position_ += count;
  if (position_ - published_ >= words_ / 16) publish();
  return {record_, count};
}

void StreamReader::publish() {
  if (published_ == position_) return;
  published_ = position_;
  std::atomic_ref<std::uint64_t>(*passed_).store(position_, std::memory_order_release);
}

}  // namespace redflag::device
