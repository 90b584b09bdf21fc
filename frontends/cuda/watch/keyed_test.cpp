#include "frontends/cuda/watch/keyed.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

namespace redflag::watch {
namespace {

struct Seen {
  std::uint64_t address;
  bool wrote;
  bool operator==(const Seen&) const = default;
};

class KeyedTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kSize = 1 << 16;

  void SetUp() override {
    keyed = Keyed::make(
        [](void* context, std::uint64_t address, bool wrote, const void* at) {
          EXPECT_NE(at, nullptr);
          static_cast<KeyedTest*>(context)->seen.push_back({address, wrote});
        },
        this);
    if (keyed == nullptr) GTEST_SKIP() << "this machine has no protection keys";
    void* const made =
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(made, MAP_FAILED);
    data = static_cast<volatile int*>(made);
    begin = reinterpret_cast<std::uint64_t>(made);
    keyed->add(begin + 256);
  }
  void TearDown() override {
    if (keyed == nullptr) return;
    keyed->remove(begin + 256);
    (void)::munmap(const_cast<int*>(data), kSize);
  }

  Keyed* keyed = nullptr;
  std::vector<Seen> seen;
  volatile int* data = nullptr;
  std::uint64_t begin = 0;
};

TEST_F(KeyedTest, EveryAccessOfAClosedMappingIsSeen) {
  data[0] = 1;
  EXPECT_TRUE(seen.empty());
  ASSERT_TRUE(keyed->close(begin + 512));
  data[1] = 2;
  const int read = data[1];
  data[9000] = 3;
  keyed->open(begin + 512);
  data[2] = 4;
  EXPECT_EQ(read, 2);
  EXPECT_EQ(data[9000], 3);
  EXPECT_EQ(seen,
            (std::vector<Seen>{{begin + 4, true}, {begin + 4, false}, {begin + 36000, true}}));
}

TEST_F(KeyedTest, ItIsClosedAsLongAsAnybodyCloses) {
  ASSERT_TRUE(keyed->close(begin));
  ASSERT_TRUE(keyed->close(begin));
  keyed->open(begin);
  data[0] = 1;
  keyed->open(begin);
  data[0] = 2;
  EXPECT_EQ(seen.size(), 1U);
  EXPECT_FALSE(keyed->close(begin + kSize * 16));
}

TEST_F(KeyedTest, OtherThreadsAreSeenToo) {
  ASSERT_TRUE(keyed->close(begin));
  std::thread([this] { data[7] = 1; }).join();
  keyed->open(begin);
  EXPECT_EQ(seen, (std::vector<Seen>{{begin + 28, true}}));
}

TEST_F(KeyedTest, WhoIsAllowedIsNotSeen) {
  const int zeros = ::open("/dev/zero", O_RDONLY);
  ASSERT_TRUE(keyed->close(begin));
  EXPECT_EQ(::read(zeros, const_cast<int*>(data), 8), -1);
  {
    const Allowed allowed;
    const Allowed again;
    data[0] = 1;
    EXPECT_EQ(::read(zeros, const_cast<int*>(data), 8), 8);
  }
  EXPECT_TRUE(seen.empty());
  data[0] = 1;
  keyed->open(begin);  // and the compiler forgets what was seen before
  EXPECT_EQ(seen.size(), 1U);
  (void)::close(zeros);
}

TEST_F(KeyedTest, AMappingWithManyAccessesStaysOpen) {
  ASSERT_TRUE(keyed->close(begin));
  for (std::uint32_t i = 0; i < Keyed::kMost + 10; ++i) data[0] = 1;
  EXPECT_EQ(seen.size(), Keyed::kMost);
  EXPECT_EQ(keyed->given_up(), 1U);
  keyed->open(begin);
}

TEST_F(KeyedTest, OtherFaultsEndTheProgramAsBefore) {
  ASSERT_TRUE(keyed->close(begin));
  volatile std::uintptr_t nowhere =
      16;  // volatile: the compiler may not know that the store is wrong
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(nowhere) = 1, "");
  keyed->open(begin);
}

}  // namespace
}  // namespace redflag::watch
