#include "core/live/histories.h"

namespace redflag::live {

std::uint32_t Pairs::take_line(Arena& arena) {
  const Guard guard(lock_);
  if (free_ != 0) {
    const std::uint32_t line = free_;
    free_ = static_cast<std::uint32_t>(word(line));
    word(line) = 0;
    return line;
  }
  if (bump_ == 0) bump_ = kLineSize;  // handle 0 is "never accessed": its line is not used
  if ((bump_ >> slimfast::kIndexBits) != 0) os_die("redflag: too many distinct access histories\n");
  auto& chunk = chunks_[bump_ >> kChunkShift];
  if (chunk.load(std::memory_order_relaxed) == nullptr) {
    auto* made = static_cast<std::uint64_t*>(arena.map(sizeof(std::uint64_t) << kChunkShift));
    if (bump_ == kLineSize) made[0] = kOwner;  // handle 0 reads as a pair of nothing
    chunk.store(made, std::memory_order_release);
  }
  const std::uint32_t line = bump_;
  bump_ += kLineSize;
  return line;
}

void Pairs::rebuild_free(std::uint32_t line) {
  std::uint64_t* w = &word(line);
  for (std::uint32_t i = 1; i < kLineSize; ++i) w[i] = 0;
  w[0] = free_;
  free_ = line;
}

}  // namespace redflag::live
