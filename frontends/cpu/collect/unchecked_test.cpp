// The test is a process with libraries of every kind: the C library, which is served, and libdw,
// which nobody instrumented.
#include "frontends/cpu/collect/unchecked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/report/words.h"

namespace redflag::collect {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> names(const std::vector<Unchecked>& all) {
  std::vector<std::string> out;
  for (const Unchecked& one : all) out.emplace_back(base_name(one.name));
  return out;
}

TEST(UncheckedLibraries, ThoseWithoutInstrumentationAreNamed) {
  MappedLibraries libraries;
  libraries.add(symbolize::read_maps(static_cast<std::uint32_t>(getpid())));
  symbolize::Symbolizer symbolizer;
  const std::vector<std::string> found = names(libraries.unchecked(symbolizer));
  EXPECT_THAT(found, Contains(HasSubstr("libdw")));
  EXPECT_THAT(found, Each(Not(StartsWith("libc.so"))));
  EXPECT_THAT(found, Each(Not(StartsWith("libstdc++"))));
  EXPECT_THAT(found, Each(Not(StartsWith("ld-linux"))));
}

TEST(UncheckedLibraries, WhatCannotBeReadIsNotSpokenOf) {
  MappedLibraries libraries;
  libraries.add(
      symbolize::parse_maps("1000-2000 r-xp 00000000 08:01 1 /nowhere/libgone.so\n"
                            "3000-4000 r--p 00000000 08:01 2 /usr/lib/locale/C.utf8/x\n"
                            "5000-6000 rw-p 00000000 08:01 3 /dev/libsomething.so\n"));
  symbolize::Symbolizer symbolizer;
  EXPECT_THAT(libraries.unchecked(symbolizer), IsEmpty());
}

}  // namespace
}  // namespace redflag::collect
