#include "frontends/pgas/track/mail.h"

#include <gtest/gtest.h>

#include <string>

namespace redflag::pgas {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const Frame& frame) {
  return {reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()};
}

// Any part through the window, the rest another way.
TEST(Mail, ComesWholeAndInOrderInWhateverPieces) {
  const std::vector<std::string> sent{"first", "", std::string(300, 'x'), "last"};
  for (std::size_t piece = 1; piece < 80; ++piece) {
    for (std::size_t pieces = 0; pieces < 20; ++pieces) {
      Outgoing out;
      Incoming in;
      for (const std::string& each : sent) out.add(FrameKind::kLines, bytes_of(each));
      for (std::size_t i = 0; i < pieces && !out.is_empty(); ++i) {
        const std::span<const std::byte> next = out.next(piece);
        ASSERT_LE(next.size(), piece);
        in.add(next);
        out.sent(next.size());
      }
      in.add(out.take_all());
      EXPECT_TRUE(out.is_empty());
      EXPECT_EQ(out.size(), 0U);
      for (const std::string& each : sent) {
        const std::optional<Frame> came = in.next();
        ASSERT_TRUE(came.has_value());
        EXPECT_EQ(text_of(*came), each);
        EXPECT_EQ(came->kind, FrameKind::kLines);
      }
      EXPECT_FALSE(in.next().has_value());
    }
  }
}

TEST(Mail, HalfAFrameIsNone) {
  Outgoing out;
  out.add(FrameKind::kBatch, bytes_of("abc"));
  Incoming in;
  in.add(out.next(out.size() - 1));
  EXPECT_FALSE(in.next().has_value());
}

}  // namespace
}  // namespace redflag::pgas
