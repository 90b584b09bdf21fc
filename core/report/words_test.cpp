#include "core/report/words.h"

#include <gtest/gtest.h>

#include "core/report/sample_report.h"

namespace redflag {
namespace {

TEST(Words, Numbers) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(add_saturating(2, 3), 5u);
  EXPECT_EQ(add_saturating(~std::uint64_t{0}, 1), ~std::uint64_t{0});
  EXPECT_EQ(bytes(1), "1 byte");
  EXPECT_EQ(bytes(8), "8 bytes");
  EXPECT_EQ(hex(~std::uint64_t{0}), "0xffffffffffffffff");
}

TEST(Words, Memory) {
  EXPECT_EQ(memory_label(sample::write_write()), "balance");
  EXPECT_EQ(memory_label(sample::write_read()), "Entry+32");
  EXPECT_EQ(memory_label(sample::use_after_free()), "heap block");
  EXPECT_EQ(memory_label(sample::bare()), "0x1000");
  EXPECT_EQ(memory_text(sample::write_read()),
            "4 bytes at 0x602000000030, offset 32, in a heap block of 40 bytes");
  EXPECT_EQ(memory_text(sample::bare()), "4 bytes at 0x1000");
}

TEST(Words, MemoryOutsideItsRegionHasNoOffset) {
  Finding f = sample::write_write();
  f.addr = Addr{0x10};
  EXPECT_EQ(memory_label(f), "balance");
}

TEST(Words, Accesses) {
  EXPECT_EQ(access_text(sample::write_write().first.access), "write of 8 bytes");
  EXPECT_EQ(access_text(sample::atomic_plain().first.access), "atomic store of 1 byte (relaxed)");
  EXPECT_EQ(access_text(sample::atomic_plain().second.access), "volatile read of 1 byte");
  EXPECT_EQ(access_text(sample::bare().first.access), "write") << "unknown size";
}

TEST(Words, ThreadsLocksPlaces) {
  EXPECT_EQ(thread_text(sample::write_write().first), "T1 (teller)");
  EXPECT_EQ(thread_text(sample::bare().first), "T4") << "a name that is the number is said once";
  EXPECT_EQ(locks_text(sample::read_write().first), "journal (shared)");
  EXPECT_EQ(locks_text(sample::bare().first), "none");
  EXPECT_EQ(place_text({"f", "a.cpp", 3, 4}), "a.cpp:3:4");
  EXPECT_EQ(place_text({"f", "a.cpp", 3, 0}), "a.cpp:3");
  EXPECT_EQ(place_text({"f", "a.cpp", 0, 0}), "a.cpp");
  EXPECT_EQ(place_text({"f", "", 3, 0}), "");
  EXPECT_EQ(base_name("/x/y/a.cpp"), "a.cpp");
  EXPECT_EQ(base_name("a.cpp"), "a.cpp");
}

TEST(Words, Headline) {
  EXPECT_EQ(headline(sample::write_write()), "data race: write against write on 'balance'");
  EXPECT_EQ(both_functions(sample::write_write()), "deposit(long) and reset()");
  EXPECT_EQ(both_functions(sample::bare()), "both in (unknown function)");
  EXPECT_EQ(severity(Rule::kLockset), "note");
  EXPECT_EQ(severity(Rule::kFree), "error");
}

}  // namespace
}  // namespace redflag
