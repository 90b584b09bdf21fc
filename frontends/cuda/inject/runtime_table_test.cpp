#include "frontends/cuda/inject/runtime_table.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace redflag::inject {
namespace {

using Words = std::array<void*, 9>;

void* word(std::size_t value) {
  return reinterpret_cast<void*>(value);
}

TEST(RuntimeTable, IsKnownByItsName) {
  unsigned char id[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                          0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
  EXPECT_TRUE(is_runtime_table(id));
  id[15] = 0;
  EXPECT_FALSE(is_runtime_table(id));
  EXPECT_FALSE(is_runtime_table(nullptr));
}

TEST(RuntimeTable, HasTheEntriesThatItsSizeSays) {
  Words table{word(7 * sizeof(void*)),
              word(0x10),
              nullptr,
              nullptr,
              nullptr,
              nullptr,
              word(0x60),
              word(0x70)};
  EXPECT_EQ(entry_of(table.data(), TableEntry::kLoad), word(0x10));
  EXPECT_EQ(entry_of(table.data(), TableEntry::kLoadManaged), word(0x60));
  EXPECT_EQ(entry_of(table.data(), TableEntry::kForget), nullptr);
  EXPECT_EQ(entry_of(nullptr, TableEntry::kLoad), nullptr);
}

TEST(RuntimeTable, ChangesWhereItIsAndStaysReadOnly) {
  void* const page =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& table = *static_cast<Words*>(page);
  table[0] = word(sizeof(table));
  ASSERT_TRUE(set_entry(page, TableEntry::kLoad, word(0x11)));
  table[8] = word(0x88);  // as before, it may be written
  ASSERT_EQ(::mprotect(page, 4096, PROT_READ), 0);
  ASSERT_TRUE(set_entry(page, TableEntry::kLoadManaged, word(0x66)));
  EXPECT_EQ(entry_of(page, TableEntry::kLoad), word(0x11));
  EXPECT_EQ(entry_of(page, TableEntry::kLoadManaged), word(0x66));
  const int zeros = ::open("/dev/zero", O_RDONLY);
  EXPECT_EQ(::read(zeros, &table[8], sizeof(void*)), -1);
  (void)::close(zeros);
  (void)::munmap(page, 4096);
  EXPECT_FALSE(set_entry(page, TableEntry::kLoad, nullptr));
}

}  // namespace
}  // namespace redflag::inject
