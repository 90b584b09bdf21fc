#include "frontends/cuda/report/caller.h"

#include <gtest/gtest.h>

#include <thread>

namespace redflag::cuda_report {
namespace {

// As an entry point of the library has it: its caller, and whoever called that one.
[[gnu::noinline]] gpu::SiteId entry_point() {
  set_caller(static_cast<const char*>(__builtin_return_address(0)) - 1, true);
  return call_site();
}
[[gnu::noinline]] gpu::SiteId wrapper() {
  const gpu::SiteId site = entry_point();
  asm volatile("" ::: "memory");  // no tail call
  return site;
}

TEST(Callers, TheCallAboveTellsWrappersApart) {
  const gpu::SiteId first = wrapper();
  asm volatile("" ::: "memory");
  const gpu::SiteId second = wrapper();
  EXPECT_NE(first, second);
  EXPECT_EQ(caller_of(first).at, caller_of(second).at);
  EXPECT_NE(caller_of(first).above, caller_of(second).above);
  EXPECT_NE(caller_of(first).above, nullptr);
  set_caller(nullptr, false);
}

TEST(Callers, SitesOfTheHostAreToldFromTheDevices) {
  static const int place = 0;
  set_caller(&place, false);
  const gpu::SiteId site = call_site();
  EXPECT_EQ(call_site(), site);
  EXPECT_EQ(caller_of(site), (Caller{&place, nullptr}));
  EXPECT_EQ(caller_of(gpu::SiteId{7}), Caller{});
  set_caller(nullptr, false);
  EXPECT_EQ(raw(call_site()), 0U);
}

TEST(Callers, ThreadsAndCallbacksHaveNumbersOfTheirOwn) {
  const ThreadId here = this_thread();
  ThreadId there{};
  std::thread([&] { there = this_thread(); }).join();
  EXPECT_NE(here, there);
  const AsCallbackThread as;
  EXPECT_NE(this_thread(), here);
}

[[gnu::noinline]] gpu::SiteId deep(int calls, unsigned depth) {
  const gpu::SiteId site = calls == 0 ? stack_site(0, depth) : deep(calls - 1, depth);
  asm volatile("" ::: "memory");
  return site;
}

TEST(Callers, AStackIsASiteOfItsOwn) {
  const Caller caller = caller_of(deep(3, 4));
  EXPECT_NE(caller.at, nullptr);
  EXPECT_NE(caller.above, nullptr);
  EXPECT_EQ(caller.outer.size(), 2U);
  EXPECT_NE(caller_of(deep(2, 4)), caller);
}

}  // namespace
}  // namespace redflag::cuda_report
