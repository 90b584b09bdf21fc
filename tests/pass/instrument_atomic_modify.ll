; Read-modify-write: those that the ABI has become its calls; others become a loop of compare-and-exchange.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @modify(
; CHECK: call i32 @__tsan_atomic32_exchange(ptr %p, i32 1, i32 0)
; CHECK: call i32 @__tsan_atomic32_fetch_add(ptr %p, i32 1, i32 2)
; CHECK: call i32 @__tsan_atomic32_fetch_sub(ptr %p, i32 1, i32 3)
; CHECK: call i32 @__tsan_atomic32_fetch_and(ptr %p, i32 1, i32 4)
; CHECK: call i32 @__tsan_atomic32_fetch_or(ptr %p, i32 1, i32 5)
; CHECK: call i64 @__tsan_atomic64_fetch_xor(ptr %p, i64 1, i32 5)
; CHECK: call i8 @__tsan_atomic8_fetch_nand(ptr %p, i8 1, i32 5)
define void @modify(ptr %p) sanitize_thread {
  %a = atomicrmw xchg ptr %p, i32 1 monotonic
  %b = atomicrmw add ptr %p, i32 1 acquire
  %c = atomicrmw sub ptr %p, i32 1 release
  %d = atomicrmw and ptr %p, i32 1 acq_rel
  %e = atomicrmw or ptr %p, i32 1 seq_cst
  %f = atomicrmw xor ptr %p, i64 1 seq_cst
  %g = atomicrmw nand ptr %p, i8 1 seq_cst
  ret void
}

; The first value of such a loop is a guess: a load that is no access of the program's.
; CHECK-LABEL: @expanded(
; CHECK-NOT: redflag.check
; CHECK: icmp ugt
; CHECK: call i32 @__tsan_atomic32_compare_exchange_val(ptr %p, {{.*}}, i32 4, i32 2)
; CHECK: fadd double
; CHECK: call i64 @__tsan_atomic64_compare_exchange_val(ptr %p, {{.*}}, i32 0, i32 0)
; CHECK-NOT: = atomicrmw
; CHECK: ret double
define double @expanded(ptr %p) sanitize_thread {
  %a = atomicrmw umax ptr %p, i32 7 acq_rel
  %b = atomicrmw fadd ptr %p, double 1.0 monotonic
  %c = atomicrmw min ptr %p, i16 7 seq_cst
  %d = atomicrmw fmax ptr %p, float 1.0 release
  ret double %b
}
