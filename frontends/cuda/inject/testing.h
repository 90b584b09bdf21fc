// A kernel whose launches race or do not, by their parameters, for tests of its versions.
#pragma once

#include <string>

#include "frontends/cuda/ptx/parser.h"
#include "frontends/cuda/rewrite/rewrite.h"

namespace redflag::inject::testing {

// spread(out, in, stride, count): a block's numbers go through shared memory; where the thread's number is below count,
// out[number * stride] is the sum of its neighbour's, in[number] and table[0] to table[2].
inline constexpr const char* kSpread = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .b8 table[16];
.visible .entry spread(
  .param .u64 spread_out,
  .param .u64 spread_in,
  .param .u32 spread_stride,
  .param .u32 spread_count
)
{
  .shared .align 4 .b8 row[256];
  .reg .pred %p<3>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  ld.param.u64 %rd1, [spread_out];
  ld.param.u64 %rd2, [spread_in];
  ld.param.u32 %r1, [spread_stride];
  ld.param.u32 %r2, [spread_count];
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %ctaid.x;
  mad.lo.s32 %r6, %r5, %r4, %r3;
  mul.wide.u32 %rd5, %r3, 4;
  mov.u64 %rd6, row;
  add.s64 %rd7, %rd6, %rd5;
  st.shared.u32 [%rd7], %r6;
  bar.sync 0;
  xor.b32 %r7, %r3, 1;
  mul.wide.u32 %rd8, %r7, 4;
  add.s64 %rd9, %rd6, %rd8;
  ld.shared.u32 %r8, [%rd9];
  setp.ge.s32 %p1, %r6, %r2;
  @%p1 bra $end;
  mul.wide.s32 %rd10, %r6, 4;
  add.s64 %rd11, %rd4, %rd10;
  ld.global.u32 %r9, [%rd11];
  add.s32 %r10, %r8, %r9;
  mov.u64 %rd12, table;
  mov.u32 %r11, 0;
$again:
  ld.global.u32 %r12, [%rd12];
  add.s32 %r10, %r10, %r12;
  add.s64 %rd12, %rd12, 4;
  add.s32 %r11, %r11, 1;
  setp.lt.s32 %p2, %r11, 3;
  @%p2 bra $again;
  mul.lo.s32 %r13, %r6, %r1;
  mul.wide.s32 %rd13, %r13, 4;
  add.s64 %rd14, %rd3, %rd13;
  st.global.u32 [%rd14], %r10;
$end:
  ret;
}
)";

// Hooks are declared, no more.
inline rewrite::Rewritten rewritten_spread() {
  const Result<ptx::Module> module = ptx::parse("spread.ptx", kSpread);
  if (!module) return {};
  Result<rewrite::Rewritten> made = rewrite::rewrite(*module, {.runtime = {}, .versions = true});
  return made ? std::move(*made) : rewrite::Rewritten();
}

}  // namespace redflag::inject::testing
