; Compare-and-exchange gives what was there, and whether that was expected; both orders are handed over.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @exchange(
; CHECK: %[[seen:.*]] = call i32 @__tsan_atomic32_compare_exchange_val(ptr %p, i32 %expected, i32 %new, i32 4, i32 0)
; CHECK: %[[done:.*]] = icmp eq i32 %[[seen]], %expected
; CHECK: insertvalue { i32, i1 } poison, i32 %[[seen]], 0
; CHECK: insertvalue { i32, i1 } %{{.*}}, i1 %[[done]], 1
; CHECK-NOT: cmpxchg
; CHECK: ret i1
define i1 @exchange(ptr %p, i32 %expected, i32 %new) sanitize_thread {
  %pair = cmpxchg ptr %p, i32 %expected, i32 %new acq_rel monotonic
  %done = extractvalue { i32, i1 } %pair, 1
  ret i1 %done
}

; CHECK-LABEL: @pointers(
; CHECK: call i64 @__tsan_atomic64_compare_exchange_val
; CHECK: inttoptr
define ptr @pointers(ptr %p, ptr %expected, ptr %new) sanitize_thread {
  %pair = cmpxchg weak ptr %p, ptr %expected, ptr %new release monotonic
  %seen = extractvalue { ptr, i1 } %pair, 0
  ret ptr %seen
}
