; Fences, of threads and of signal handlers.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @fences(
; CHECK: call void @__tsan_atomic_thread_fence(i32 2)
; CHECK: call void @__tsan_atomic_thread_fence(i32 3)
; CHECK: call void @__tsan_atomic_thread_fence(i32 4)
; CHECK: call void @__tsan_atomic_thread_fence(i32 5)
; CHECK: call void @__tsan_atomic_signal_fence(i32 5)
; CHECK-NOT: {{^ *fence}}
; CHECK: ret void
define void @fences() sanitize_thread {
  fence acquire
  fence release
  fence acq_rel
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  ret void
}
