; Atomics that order something end what is known; relaxed ones do not.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare i32 @__tsan_atomic32_load(ptr, i32)
declare void @__tsan_atomic32_store(ptr, i32, i32)
declare i32 @__tsan_atomic32_compare_exchange_val(ptr, i32, i32, i32, i32)

; CHECK-LABEL: @acquire(
; CHECK-COUNT-2: call void @redflag.check
define void @acquire(ptr %p, ptr %f) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %x = call i32 @__tsan_atomic32_load(ptr %f, i32 2)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @release(
; CHECK-COUNT-2: call void @redflag.check
define void @release(ptr %p, ptr %f) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  call void @__tsan_atomic32_store(ptr %f, i32 1, i32 3)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; An order that is not known is one.
; CHECK-LABEL: @any_order(
; CHECK-COUNT-2: call void @redflag.check
define void @any_order(ptr %p, ptr %f, i32 %order) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %x = call i32 @__tsan_atomic32_load(ptr %f, i32 %order)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; The order of a comparison that succeeds counts, and that of one that fails.
; CHECK-LABEL: @exchange(
; CHECK-COUNT-3: call void @redflag.check
define void @exchange(ptr %p, ptr %f) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %x = call i32 @__tsan_atomic32_compare_exchange_val(ptr %f, i32 0, i32 1, i32 2, i32 0)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %y = call i32 @__tsan_atomic32_compare_exchange_val(ptr %f, i32 0, i32 1, i32 0, i32 2)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @relaxed(
; CHECK-COUNT-1: call void @redflag.check
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @relaxed(ptr %p, ptr %f) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %x = call i32 @__tsan_atomic32_load(ptr %f, i32 0)
  call void @__tsan_atomic32_store(ptr %f, i32 1, i32 0)
  %y = call i32 @__tsan_atomic32_compare_exchange_val(ptr %f, i32 0, i32 1, i32 0, i32 0)
  %z = load atomic i32, ptr %f monotonic, align 4
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; Those that are not lowered: the same.
; CHECK-LABEL: @as_instructions(
; CHECK-COUNT-3: call void @redflag.check
define void @as_instructions(ptr %p, ptr %f) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %x = load atomic i32, ptr %f acquire, align 4
  call void @redflag.check(ptr %p, i64 4, i32 1)
  %y = atomicrmw add ptr %f, i32 1 release
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}
