; A function that is not to be checked: its atomics are, since they may order what others do; no more, and no frame.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @plain(
; CHECK-NOT: redflag
; CHECK: store i32 1, ptr %p
; CHECK-NEXT: call void @__tsan_atomic32_store(ptr %flag, i32 1, i32 3)
; CHECK-NEXT: ret void
define void @plain(ptr %p, ptr %flag) {
  store i32 1, ptr %p
  store atomic i32 1, ptr %flag release, align 4
  ret void
}

; CHECK-LABEL: @disabled(
; CHECK-NEXT: store atomic i32 1
; CHECK-NEXT: ret void
define void @disabled(ptr %flag) disable_sanitizer_instrumentation {
  store atomic i32 1, ptr %flag release, align 4
  ret void
}
