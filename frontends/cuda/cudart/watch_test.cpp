#include "frontends/cuda/cudart/watch.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <vector>

namespace redflag::cudart {
namespace {

struct Seen {
  std::uint64_t address;
  bool wrote;
  bool operator==(const Seen&) const = default;
};

class WatchTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kSize = 8192;

  WatchTest()
      : watch(
            [](void* context, std::uint64_t address, bool wrote, const void* at) {
              EXPECT_NE(at, nullptr);
              static_cast<WatchTest*>(context)->seen.push_back({address, wrote});
            },
            this) {
    data = static_cast<volatile int*>(
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    begin = reinterpret_cast<std::uint64_t>(data);
    watch.add(begin, kSize);
  }
  ~WatchTest() override {
    watch.remove(begin);
    ::munmap(const_cast<int*>(data), kSize);
  }
  // The device uses memory in the middle of a call of the library.
  void device_uses(std::uint64_t address, std::uint64_t size, bool wrote, unsigned stream = 1) {
    watch.open();
    watch.used(address, size, wrote, gpu::StreamId{stream});
    watch.close();
  }

  std::vector<Seen> seen;
  Watch watch;
  volatile int* data;
  std::uint64_t begin;
};

TEST_F(WatchTest, EveryAccessOfAUsedPageIsSeen) {
  data[0] = 1;
  EXPECT_TRUE(seen.empty());
  device_uses(begin, 4, true);
  data[1] = 2;
  const int read = data[1];
  data[1024] = 3;  // the next page was not used
  EXPECT_EQ(read, 2);
  EXPECT_EQ(seen, (std::vector<Seen>{{begin + 4, true}, {begin + 4, false}}));
}

TEST_F(WatchTest, ReadingWhatTheDeviceOnlyReadsIsFree) {
  device_uses(begin, 4, false);
  (void)data[0];
  EXPECT_TRUE(seen.empty());
  data[0] = 1;
  EXPECT_EQ(seen, (std::vector<Seen>{{begin, true}}));
}

TEST_F(WatchTest, WaitingEndsIt) {
  device_uses(begin, 4, true);
  watch.forget();
  data[0] = 1;
  EXPECT_TRUE(seen.empty());
}

TEST_F(WatchTest, WaitingForOneStreamEndsWhatOnlyThatUsed) {
  device_uses(begin, 4, true, 1);
  device_uses(begin + 4096, 4, true, 2);
  watch.forget(gpu::StreamId{1});
  data[0] = 1;
  data[1024] = 1;
  EXPECT_EQ(seen, (std::vector<Seen>{{begin + 4096, true}}));
}

TEST_F(WatchTest, TheLibraryItselfIsNotSeen) {
  device_uses(begin, 4, true);
  watch.open();
  data[0] = 1;
  watch.close();
  EXPECT_TRUE(seen.empty());
}

TEST_F(WatchTest, ACopyOverTheWholePageIsSeen) {
  device_uses(begin, kSize, true);
  std::vector<char> bytes(kSize, 1);
  std::memcpy(const_cast<int*>(data), bytes.data(), kSize);
  EXPECT_FALSE(seen.empty());
  EXPECT_EQ(data[2047], 0x01010101);
}

TEST_F(WatchTest, OtherFaultsEndTheProgramAsBefore) {
  device_uses(begin, 4, true);
  volatile std::uintptr_t nowhere =
      16;  // volatile: the compiler may not know that the store is wrong
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(nowhere) = 1, "");
}

}  // namespace
}  // namespace redflag::cudart
