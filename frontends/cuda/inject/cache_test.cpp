#include "frontends/cuda/inject/cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace redflag::inject {
namespace {

namespace fs = std::filesystem;

class CacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::string("redflag-cache-") + test->name() + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) count += entry.is_regular_file();
    return count;
  }

  fs::path folder_;
};

TEST_F(CacheTest, WhatWasPutIsThere) {
  const Cache cache(folder_.string());
  EXPECT_EQ(cache.get("a"), std::nullopt);
  cache.put("a", std::string("x\0y", 3));
  cache.put("b", "");
  EXPECT_EQ(Cache(folder_.string()).get("a"), std::string("x\0y", 3));
  EXPECT_EQ(cache.get("b"), "");
  EXPECT_EQ(files(), 2U);  // and nothing unfinished
}

TEST_F(CacheTest, KeysDependOnEveryByteAndOnTheBorders) {
  EXPECT_EQ(cache_key({"ab", "c"}), cache_key({"ab", "c"}));
  EXPECT_NE(cache_key({"ab", "c"}), cache_key({"a", "bc"}));
  EXPECT_NE(cache_key({"12345678"}), cache_key({"12345679"}));
  EXPECT_NE(cache_key({std::string_view("\0", 1)}), cache_key({""}));
  EXPECT_EQ(cache_key({"x"}).size(), 32U);
}

TEST_F(CacheTest, ADamagedFileIsNone) {
  const Cache cache(folder_.string());
  cache.put("a", "some machine code");
  const fs::path file = fs::directory_iterator(folder_)->path();
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_EQ(cache.get("a"), std::nullopt);
  std::ofstream(file) << "short";
  EXPECT_EQ(cache.get("a"), std::nullopt);
  cache.put("a", "again");
  EXPECT_EQ(cache.get("a"), "again");
}

TEST_F(CacheTest, TheLeastUsedGoWhenItIsFull) {
  const Cache cache(folder_.string(), 4000);
  const std::string kilobyte(984, 'x');
  for (const char* name : {"a", "b", "c", "d"}) {
    cache.put(name, kilobyte);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(cache.get("a"));  // used now
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cache.put("e", kilobyte);
  EXPECT_TRUE(cache.get("a"));
  EXPECT_TRUE(cache.get("e"));
  EXPECT_FALSE(cache.get("b"));
  EXPECT_FALSE(cache.get("c"));
  cache.put("huge", std::string(5000, 'x'));
  EXPECT_FALSE(cache.get("huge"));
}

TEST_F(CacheTest, ThoseWhoWriteTogetherDoNotMix) {
  const Cache cache(folder_.string());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&cache, i] {
      for (int round = 0; round < 50; ++round) {
        cache.put("same", std::string(10'000, static_cast<char>('a' + i)));
        const std::optional<std::string> got = cache.get("same");
        ASSERT_TRUE(got);
        EXPECT_EQ(got->find_first_not_of((*got)[0]), std::string::npos);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files(), 1U);
}

TEST_F(CacheTest, WithoutAFolderNothingIsKept) {
  const Cache cache("");
  cache.put("a", "x");
  EXPECT_EQ(cache.get("a"), std::nullopt);
  const Cache elsewhere("/proc/no/such/folder");
  elsewhere.put("a", "x");
  EXPECT_EQ(elsewhere.get("a"), std::nullopt);
}

}  // namespace
}  // namespace redflag::inject
