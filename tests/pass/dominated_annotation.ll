; What programs call of the ABI themselves orders something: none of it is taken for a call that we put there.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @__tsan_release(ptr)
declare void @__tsan_mutex_post_lock(ptr, i32, i32)
declare ptr @__tsan_memcpy(ptr, ptr, i64)

; CHECK-LABEL: @annotated(
; CHECK: call void @redflag.check
; CHECK: call void @__tsan_release
; CHECK: call void @redflag.check
; CHECK: call void @__tsan_mutex_post_lock
; CHECK: call void @redflag.check
define void @annotated(ptr %p, ptr %m) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  call void @__tsan_release(ptr %m)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  call void @__tsan_mutex_post_lock(ptr %m, i32 0, i32 0)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @ours(
; CHECK-COUNT-1: call void @redflag.check
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @ours(ptr %p, ptr %a, ptr %b, i64 %n) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %x = call ptr @__tsan_memcpy(ptr %a, ptr %b, i64 %n)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}
