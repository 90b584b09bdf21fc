; Nothing is merged across a synchronisation, across what may not come back, or from one block to another.
; RUN: %opt -passes=redflag-merge %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @unknown()
declare void @may_throw() nosync nofree
declare i32 @__tsan_atomic32_load(ptr, i32)

; CHECK-LABEL: @stretches(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: call void @unknown
; CHECK: call void @redflag.check(ptr %b, i64 4, i32 0)
; CHECK: call i32 @__tsan_atomic32_load
; CHECK: call void @redflag.check(ptr %c, i64 4, i32 0)
; CHECK: call void @may_throw
; CHECK: call void @redflag.check(ptr %d, i64 4, i32 0)
; CHECK: next:
; CHECK: call void @redflag.check(ptr %e, i64 4, i32 0)
define void @stretches(ptr %p, ptr %flag) {
  %b = getelementptr i8, ptr %p, i64 4
  %c = getelementptr i8, ptr %p, i64 8
  %d = getelementptr i8, ptr %p, i64 12
  %e = getelementptr i8, ptr %p, i64 16
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void @unknown()
  call void @redflag.check(ptr %b, i64 4, i32 0)
  %x = call i32 @__tsan_atomic32_load(ptr %flag, i32 2)
  call void @redflag.check(ptr %c, i64 4, i32 0)
  call void @may_throw()
  call void @redflag.check(ptr %d, i64 4, i32 0)
  br label %next
next:
  call void @redflag.check(ptr %e, i64 4, i32 0)
  ret void
}

; A relaxed atomic is no reason.
; CHECK-LABEL: @across_relaxed(
; CHECK: call void @redflag.check(ptr {{.*}}, i64 8, i32 0)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @across_relaxed(ptr %p, ptr %flag) {
  %b = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr %p, i64 4, i32 0)
  %x = call i32 @__tsan_atomic32_load(ptr %flag, i32 0)
  call void @redflag.check(ptr %b, i64 4, i32 0)
  ret void
}
