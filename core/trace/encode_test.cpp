#include "core/trace/encode.h"

#include <gtest/gtest.h>

#include "core/model/make_event.h"

namespace redflag::rft {
namespace {

std::vector<int> bytes(const BlockEncoder& encoder) {
  return {encoder.raw().begin(), encoder.raw().end()};
}

TEST(Encode, LayoutIsTheDocumentedOne) {
  BlockEncoder encoder;
  encoder.add(make::write(3, 0x100, 4, 5));
  // Control: kind 1, thread changed, object code 2, source code 1, size code 2.
  EXPECT_EQ(bytes(encoder), (std::vector<int>{0x21, 0x25, 0, 0, 3, 0, 0, 0, 0x00, 0x02, 10}));
  encoder.add(make::write(3, 0x104, 4, 5));
  EXPECT_EQ(encoder.raw().size(), 14u) << "control word and one byte of address";
  EXPECT_EQ(encoder.raw()[13], 8);
}

TEST(Encode, ClearForgetsPredictions) {
  BlockEncoder encoder;
  const Event event = make::read(9, 0x123456, 8, 77);
  encoder.add(event);
  const std::vector<int> first = bytes(encoder);
  encoder.add(event);
  EXPECT_EQ(encoder.raw().size(), first.size() + 2) << "nothing changed: only a control word";
  encoder.clear();
  EXPECT_EQ(encoder.count(), 0u);
  encoder.add(event);
  EXPECT_EQ(bytes(encoder), first);
}

TEST(Encode, LocksDoNotDisturbAddresses) {
  BlockEncoder encoder;
  encoder.add(make::read(0, 0x7fff00000000, 8));
  encoder.add(make::acquire(0, 0x10));
  const std::size_t before = encoder.raw().size();
  encoder.add(make::read(0, 0x7fff00000008, 8));
  EXPECT_EQ(encoder.raw().size(), before + 3);
}

}  // namespace
}  // namespace redflag::rft
