// Thread-instructions a second of the emulated GPU, without a sink: three kinds of kernels.
//
//   emulate_speed [workers [rounds]]
//
// Converged arithmetic is what the layout by lane is for; divergent code runs a few lanes at a time;
// memory-bound code pays for checked addresses. One line each, and the geometric mean. Beside the rate by the
// clock on the wall stands the rate by the time that the busiest of the workers was given: what a machine
// without other work would show. More rounds make both steadier.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "frontends/cuda/emulate/device.h"
#include "frontends/cuda/ptx/parser.h"

namespace {

using namespace redflag;        // NOLINT: a program of one file
using namespace redflag::cuda;  // NOLINT

std::string kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name +
         "(.param .u64 a, .param .u64 b, .param .u32 c)\n{\n"
         ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %l<30>; .reg .f32 %f<9>; .reg .b64 %out, "
         "%in;\n"
         ".reg .b32 %n, %t, %i;\n"
         "ld.param.u64 %out, [a]; ld.param.u64 %in, [b]; ld.param.u32 %n, [c];\n"
         "mov.u32 %t, %tid.x; mov.u32 %r30, %ctaid.x; mov.u32 %r31, %ntid.x;\n"
         "mad.lo.s32 %i, %r30, %r31, %t; mul.wide.u32 %l1, %i, 4; add.s64 %l2, %out, %l1; add.s64 "
         "%l3, %in, %l1;\n" +
         body + "\nret;\n}\n";
}

struct Case {
  const char* name;
  std::string body;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"arithmetic", R"(
    mov.u32 %r1, 0; cvt.rn.f32.u32 %f1, %i; mov.f32 %f2, 0f3F800000;
  LOOP:
    fma.rn.f32 %f2, %f2, %f1, %f1; add.f32 %f3, %f2, %f1; mul.f32 %f4, %f3, %f2;
    add.u32 %r2, %r1, %i; xor.b32 %r3, %r2, %r1; shl.b32 %r4, %r3, 3; mad.lo.u32 %r5, %r4, %r2, %r3;
    add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %n; @%p1 bra LOOP;
    st.global.f32 [%l2], %f4; st.global.u32 [%l2], %r5;)"},
                                     {"divergent", R"(
    mov.u32 %r1, 0; mov.u32 %r6, %i;
  LOOP:
    and.b32 %r2, %r6, 3; setp.eq.u32 %p1, %r2, 0; @%p1 bra A;
    setp.eq.u32 %p2, %r2, 1; @%p2 bra B;
    mul.lo.u32 %r6, %r6, 3; add.u32 %r6, %r6, 1; xor.b32 %r6, %r6, %t; bra MEET;
  A: shr.u32 %r6, %r6, 1; add.u32 %r6, %r6, %t; add.u32 %r6, %r6, 5; bra MEET;
  B: add.u32 %r6, %r6, 7; xor.b32 %r6, %r6, 9; shl.b32 %r6, %r6, 1;
  MEET:
    add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, %n; @%p3 bra LOOP;
    st.global.u32 [%l2], %r6;)"},
                                     {"memory", R"(
    mov.u32 %r1, 0; mov.u32 %r5, 0; mov.u32 %r6, tile; shl.b32 %r7, %t, 2; add.u32 %r6, %r6, %r7;
  LOOP:
    ld.global.u32 %r2, [%l3]; add.u32 %r5, %r5, %r2; st.shared.u32 [%r6], %r5;
    ld.shared.u32 %r3, [%r6]; add.u32 %r3, %r3, 1; st.global.u32 [%l2], %r3;
    add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, %n; @%p3 bra LOOP;)"},
                                     {"gather", R"(
    mov.u32 %r1, 0; mov.u32 %r5, %i;
  LOOP:
    mad.lo.u32 %r5, %r5, 1664525, 1013904223; and.b32 %r6, %r5, 65535; mul.wide.u32 %l4, %r6, 4; add.s64 %l5, %in, %l4;
    ld.global.u32 %r2, [%l5]; add.u32 %r5, %r5, %r2;
    add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, %n; @%p3 bra LOOP;
    st.global.u32 [%l2], %r5;)"},
                                     {"barrier", R"(
    mov.u32 %r1, 0; mov.u32 %r6, tile; shl.b32 %r7, %t, 2; add.u32 %r6, %r6, %r7; mov.u32 %r5, %t;
  LOOP:
    st.shared.u32 [%r6], %r5; bar.sync 0; ld.shared.u32 %r3, [%r6]; add.u32 %r5, %r3, 1; bar.sync 0;
    add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, %n; @%p3 bra LOOP;
    st.global.u32 [%l2], %r5;)"}};
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto workers = static_cast<unsigned>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1);
  std::string text =
      ".version 8.5\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[4096];\n";
  for (const Case& each : cases()) text += kernel(each.name, each.body);
  Device device({.workers = workers});
  Result<ptx::Module> module = ptx::parse("speed.ptx", text);
  if (!module) {
    std::fprintf(stderr, "%s\n", module.error().message.c_str());
    return 1;
  }
  const ModuleId id = *device.load(std::move(*module));
  constexpr std::uint32_t kThreads = 64 * 256;
  const std::uint64_t out = *device.allocate(std::uint64_t{kThreads} * 4);
  const std::uint64_t in = *device.allocate(std::uint64_t{65536} * 4);
  const auto rounds =
      static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 400);
  double product = 1;
  for (const Case& each : cases()) {
    const Result<KernelId> kernel_id = device.find_kernel(id, each.name);
    if (!kernel_id) {
      std::fprintf(stderr, "%s\n", kernel_id.error().message.c_str());
      return 1;
    }
    std::byte params[24] = {};
    std::memcpy(params, &out, 8);
    std::memcpy(params + 8, &in, 8);
    std::memcpy(params + 16, &rounds, 4);
    const LaunchStats before = device.stats();
    const auto start = std::chrono::steady_clock::now();
    Fault fault;
    const Result<void> ran =
        device.launch(*kernel_id, {.grid = {kThreads / 256}, .block = {256}}, params, fault);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!ran || fault.kind != FaultKind::kNone) {
      std::fprintf(stderr, "%s\n", ran ? fault.text.c_str() : ran.error().message.c_str());
      return 1;
    }
    const LaunchStats& after = device.stats();
    const auto done = static_cast<double>(after.thread_instructions - before.thread_instructions);
    const double rate = done / seconds / 1e6;
    const double alone = done / static_cast<double>(after.busiest_ns - before.busiest_ns) * 1e3;
    product *= rate;
    std::printf(
        "%-12s %8.0f million thread-instructions a second, %8.0f of the busiest worker's time\n",
        each.name, rate, alone);
  }
  std::printf("%-12s %8.0f\n", "mean",
              std::pow(product, 1.0 / static_cast<double>(cases().size())));
  return 0;
}
