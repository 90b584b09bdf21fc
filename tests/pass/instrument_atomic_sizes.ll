; Atomic loads and stores become the ABI's calls: their size in the name, their order as C numbers it.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @sizes(
; CHECK: call i8 @__tsan_atomic8_load(ptr %p, i32 0)
; CHECK: call i16 @__tsan_atomic16_load(ptr %p, i32 2)
; CHECK: call i32 @__tsan_atomic32_load(ptr %p, i32 5)
; CHECK: call i64 @__tsan_atomic64_load(ptr %p, i32 2)
; CHECK: call i128 @__tsan_atomic128_load(ptr %p, i32 2)
; CHECK: call void @__tsan_atomic8_store(ptr %p, i8 %{{.*}}, i32 0)
; CHECK: call void @__tsan_atomic64_store(ptr %p, i64 %{{.*}}, i32 3)
; CHECK: call void @__tsan_atomic128_store(ptr %p, i128 %{{.*}}, i32 5)
; CHECK-NOT: redflag.check
; CHECK: ret void
define void @sizes(ptr %p) sanitize_thread {
  %a = load atomic i8, ptr %p monotonic, align 1
  %b = load atomic i16, ptr %p acquire, align 2
  %c = load atomic i32, ptr %p seq_cst, align 4
  %d = load atomic i64, ptr %p acquire, align 8
  %e = load atomic i128, ptr %p acquire, align 16
  store atomic i8 %a, ptr %p monotonic, align 1
  store atomic i64 %d, ptr %p release, align 8
  store atomic i128 %e, ptr %p seq_cst, align 16
  ret void
}

; Pointers and floating-point numbers travel as integers.
; CHECK-LABEL: @as_integers(
; CHECK: %[[bits:.*]] = call i64 @__tsan_atomic64_load(ptr %p, i32 2)
; CHECK: inttoptr i64 %[[bits]] to ptr
; CHECK: bitcast float %x to i32
; CHECK: call void @__tsan_atomic32_store
define ptr @as_integers(ptr %p, ptr %q, float %x) sanitize_thread {
  %a = load atomic ptr, ptr %p acquire, align 8
  store atomic float %x, ptr %q release, align 4
  ret ptr %a
}
