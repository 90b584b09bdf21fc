#include "frontends/pgas/track/mail.h"

#include <algorithm>

namespace redflag::pgas {

namespace {

// In front of each frame.
struct Head {
  std::uint64_t size;  // of what follows
  FrameKind kind;
  std::uint8_t unused[7];
};
static_assert(sizeof(Head) == 16);

}  // namespace

void Outgoing::add(FrameKind kind, std::span<const std::byte> bytes) {
  Bytes& made = frames_.emplace_back();
  made.reserve(sizeof(Head) + bytes.size());
  Writer(made).put(Head{bytes.size(), kind, {}});
  made.insert(made.end(), bytes.begin(), bytes.end());
  size_ += made.size();
}

std::span<const std::byte> Outgoing::next(std::size_t most) const {
  if (frames_.empty()) return {};
  const std::span<const std::byte> rest = std::span(frames_.front()).subspan(sent_);
  return rest.first(std::min(rest.size(), most));
}

void Outgoing::sent(std::size_t bytes) {
  size_ -= bytes;
  sent_ += bytes;
  if (sent_ < frames_.front().size()) return;
  frames_.pop_front();
  sent_ = 0;
}

Bytes Outgoing::take_all() {
  Bytes all;
  all.reserve(size_);
  while (!frames_.empty()) {
    const std::span<const std::byte> rest = next(size_);
    all.insert(all.end(), rest.begin(), rest.end());
    sent(rest.size());
  }
  return all;
}

std::optional<Frame> Incoming::next() {
  if (bytes_.size() < sizeof(Head)) return {};
  const auto head = Reader(bytes_).take<Head>();
  if (bytes_.size() - sizeof(Head) < head.size) return {};
  const auto begin = bytes_.begin() + sizeof(Head);
  const auto end = begin + static_cast<std::ptrdiff_t>(head.size);
  Frame frame{head.kind, Bytes(begin, end)};
  bytes_.erase(bytes_.begin(), end);
  return frame;
}

}  // namespace redflag::pgas
