// Mail: frames of bytes to one rank and from one, in pieces as there is room for them.
//
// A frame is its size, its kind and its bytes; the frames to a rank are one stream, of which any part may travel
// through the window and the rest by an exchange at a barrier: what arrives is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "frontends/pgas/track/bytes.h"

namespace redflag::pgas {

enum class FrameKind : std::uint8_t { kBatch, kLines };

struct Frame {
  FrameKind kind = FrameKind::kBatch;
  Bytes bytes;
};

class Outgoing {
 public:
  void add(FrameKind kind, std::span<const std::byte> bytes);
  bool is_empty() const { return frames_.empty(); }
  std::size_t size() const { return size_; }  // bytes that were not sent

  // What is to be sent next, at most so many bytes of it; and so many of them were.
  std::span<const std::byte> next(std::size_t most) const;
  void sent(std::size_t bytes);
  // All of it, which goes another way.
  Bytes take_all();

 private:
  std::deque<Bytes> frames_;
  std::size_t sent_ = 0;  // of the first
  std::size_t size_ = 0;
};

class Incoming {
 public:
  void add(std::span<const std::byte> piece) {
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
  }
  // The next whole frame.
  std::optional<Frame> next();

 private:
  Bytes bytes_;
};

}  // namespace redflag::pgas
