#include "frontends/cuda/inject/modules.h"

#include <gtest/gtest.h>

namespace redflag::inject {
namespace {

std::shared_ptr<Module> rewritten() {
  auto code = std::make_shared<Code>();
  rewrite::Kernel good;
  good.name = "good";
  good.checked = true;
  rewrite::Kernel bad;
  bad.name = "bad";
  bad.why = "it uses what is not known";
  code->kernels = {good, bad};
  auto module = std::make_shared<Module>();
  module->code = code;
  return module;
}

TEST(Modules, KernelsAreKnownByTheirHandlesUntilTheirModuleGoes) {
  Modules modules;
  int module_handle = 0;
  int other_handle = 0;
  int function = 0;
  const auto module = rewritten();
  modules.add(&module_handle, module);
  modules.add(&other_handle, module);  // a library's module in a context
  modules.add_kernel(&function, modules.find(&other_handle), "good", false);
  ASSERT_NE(modules.find_kernel(&function), nullptr);
  EXPECT_TRUE(modules.find_kernel(&function)->checked());
  modules.remove(&module_handle);
  EXPECT_EQ(modules.find_kernel(&function), nullptr);
  EXPECT_EQ(modules.find(&other_handle), nullptr);
}

TEST(Modules, ALibraryOutlivesAContext) {
  Modules modules;
  int handle = 0;
  auto* const context = reinterpret_cast<CUcontext>(&handle);
  const auto module = rewritten();
  module->ready = {context};
  module->variables = {0x1000};
  modules.add(&handle, module);
  modules.forget(reinterpret_cast<CUcontext>(&modules));
  EXPECT_TRUE(module->ready.contains(context));
  modules.forget(context);
  EXPECT_TRUE(module->ready.empty());
  EXPECT_TRUE(module->variables.empty());
}

TEST(Modules, WhatIsNotCheckedSaysWhy) {
  Modules modules;
  int bad = 0;
  int missing = 0;
  int whole = 0;
  const auto module = rewritten();
  modules.add_kernel(&bad, module, "bad", false);
  modules.add_kernel(&missing, module, "missing", false);
  const auto plain = std::make_shared<Module>();
  plain->why = "machine code only";
  modules.add_kernel(&whole, plain, "_Z5wholePi", false);
  plain->has_ptx = false;
  Unchecked unchecked;
  EXPECT_TRUE(unchecked.empty());
  for (const int* handle : {&bad, &missing, &whole, &whole}) {
    EXPECT_FALSE(modules.find_kernel(handle)->checked());
    unchecked.add(*modules.find_kernel(handle));
  }
  EXPECT_EQ(unchecked.text(),
            "3 kernels were not checked:\n"
            "  bad: it uses what is not known\n"
            "  missing: its module's PTX does not define it\n"
            "  whole(int*): machine code only");
  using Kind = redflag::Unchecked::Kind;
  EXPECT_EQ(modules.find_kernel(&bad)->kind(), Kind::kUnsupportedKernel);
  EXPECT_EQ(modules.find_kernel(&missing)->kind(), Kind::kKernel);
  EXPECT_EQ(modules.find_kernel(&whole)->kind(), Kind::kKernel);
  plain->has_ptx = true;  // and the driver's compiler refused it
  EXPECT_EQ(modules.find_kernel(&whole)->kind(), Kind::kUnsupportedKernel);
}

}  // namespace
}  // namespace redflag::inject
