#include "frontends/cuda/inject/links.h"

#include <gtest/gtest.h>

#include "frontends/cuda/fatbin/testing.h"

namespace redflag::inject {
namespace {

using fatbin::testing::container;
using fatbin::testing::elf_with;

const auto kState = reinterpret_cast<CUlinkState>(16);

TEST(Links, MachineCodeIsKnownByAllItsBytes) {
  const std::string code = elf_with(".text", "something", 190);
  EXPECT_EQ(elf_bytes(code.data()), code.size());
  // Behind the file there may be anything.
  EXPECT_EQ(key_of_code((code + "more").data()), key_of_code(code.data()));
  EXPECT_NE(key_of_code(elf_with(".text", "somethinG", 190).data()), key_of_code(code.data()));
  EXPECT_EQ(key_of_code(".version 8.0"), "");
  EXPECT_EQ(key_of_code(""), "");
}

TEST(Links, WhatWentInIsFoundByWhatCameOut) {
  const std::string code = elf_with(".text", "something", 190);
  Links links;
  links.create(kState, "");
  links.add(kState, {kJitInputPtx, std::string("text\0", 5), "a"});
  links.add(kState, {kJitInputCode, std::string("code\0", 5), "b"});
  links.complete(kState, code.data());
  links.destroy(kState);
  const std::shared_ptr<const Link> found = links.find(key_of_code(code.data()));
  ASSERT_NE(found, nullptr);
  ASSERT_EQ(found->inputs.size(), 2U);
  EXPECT_EQ(found->inputs[0].bytes, "text");
  EXPECT_EQ(found->inputs[1].bytes.size(), 5U);
  EXPECT_EQ(links.find(key_of_code(elf_with(".text", "other", 190).data())), nullptr);
}

TEST(Links, PtxTakesThePlaceOfFatBinariesThatHaveItForAllTheirParts) {
  const std::string both =
      container({{.sm = 75, .payload = ".version 7"}, {.sm = 80, .payload = ".version 8"}});
  const std::string code = container({{.kind = 2, .sm = 90, .payload = "machine code"}});
  std::vector<Input> all =
      opened({{kJitInputFatBinary, both, "a"}, {kJitInputPtx, "text", "b"}}, 90);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].kind, kJitInputPtx);
  EXPECT_EQ(all[0].bytes, ".version 8");
  EXPECT_EQ(all[1].bytes, "text");
  const std::string object = elf_with("__nv_relfatbin", both + both);
  EXPECT_EQ(opened({{kJitInputObject, object, "c"}}, 75).size(), 2U);
  // A part that is machine code only keeps the whole as it is.
  for (const std::string& each : {code, elf_with("__nv_relfatbin", both + code)}) {
    all = opened({{kJitInputObject, each, "d"}}, 90);
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].kind, kJitInputObject);
    EXPECT_EQ(all[0].bytes, each);
  }
}

}  // namespace
}  // namespace redflag::inject
