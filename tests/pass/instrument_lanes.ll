; Of masked vectors each lane is an access: if its bit is known, a check or nothing; if not, a call that looks at the bit,
; which comes as C's bool does.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v2f64.p0(<2 x double>, ptr, i32, <2 x i1>)
declare <2 x i64> @llvm.masked.gather.v2i64.v2p0(<2 x ptr>, i32, <2 x i1>, <2 x i64>)
declare void @llvm.masked.scatter.v2i16.v2p0(<2 x i16>, <2 x ptr>, i32, <2 x i1>)

; CHECK-LABEL: @masked(
; CHECK: %[[lane:.*]] = getelementptr double, ptr %p, i64 0
; CHECK-NEXT: %[[bit:.*]] = extractelement <2 x i1> %mask, i64 0
; CHECK-NEXT: call void @__redflag_write_lane(ptr nocapture %[[lane]], i64 8, i1 zeroext %[[bit]])
; CHECK: call void @__redflag_write_lane
; CHECK: call void @llvm.masked.store
; CHECK: %[[first:.*]] = extractelement <2 x ptr> %at, i64 0
; CHECK: call void @__redflag_read_lane(ptr nocapture %[[first]], i64 8, i1 zeroext
; CHECK: call void @__redflag_read_lane
; CHECK: call <2 x i64> @llvm.masked.gather
define void @masked(ptr %p, <2 x ptr> %at, <2 x i1> %mask, <2 x double> %v) sanitize_thread {
  call void @llvm.masked.store.v2f64.p0(<2 x double> %v, ptr %p, i32 8, <2 x i1> %mask)
  %x = call <2 x i64> @llvm.masked.gather.v2i64.v2p0(<2 x ptr> %at, i32 8, <2 x i1> %mask, <2 x i64> zeroinitializer)
  ret void
}

; CHECK-LABEL: @known(
; CHECK-COUNT-2: call void @redflag.check(ptr align 1 {{.*}}, i64 4, i32 0)
; CHECK-NOT: call void @redflag.check(ptr align 1 {{.*}}, i64 4, i32 0)
; CHECK: call <4 x i32> @llvm.masked.load
; CHECK: call void @redflag.check(ptr align 1 %{{.*}}, i64 2, i32 1)
; CHECK: call void @redflag.check(ptr align 1 %{{.*}}, i64 2, i32 1)
; CHECK: call void @llvm.masked.scatter
define void @known(ptr %p, <2 x ptr> %at, <2 x i16> %v) sanitize_thread {
  %x = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> <i1 true, i1 false, i1 false, i1 true>, <4 x i32> zeroinitializer)
  call void @llvm.masked.scatter.v2i16.v2p0(<2 x i16> %v, <2 x ptr> %at, i32 2, <2 x i1> <i1 true, i1 true>)
  ret void
}
