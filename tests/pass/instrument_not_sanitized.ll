; A function that is not to be checked, as __attribute__((no_sanitize("thread"))) and ignore lists say it: its atomics are
; called, since they may order what others do, and it has a frame; no access of it is checked. Nothing at all is done to one
; with disable_sanitizer_instrumentation, nor to a resolver of an ifunc, which runs before there is a runtime.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @other()
@chosen = ifunc void (), ptr @resolver

; CHECK-LABEL: @plain(
; CHECK-NOT: redflag.check
; CHECK: call ptr @llvm.returnaddress
; CHECK: store i32 1, ptr %p
; CHECK-NEXT: call void @__tsan_atomic32_store(ptr %flag, i32 1, i32 3)
; CHECK: store ptr %{{.*}}, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK-NEXT: ret void
define void @plain(ptr %p, ptr %flag) {
  store i32 1, ptr %p
  store atomic i32 1, ptr %flag release, align 4
  ret void
}

; CHECK-LABEL: @calls(
; CHECK: call ptr @llvm.returnaddress
; CHECK: call void @other()
define void @calls() {
  call void @other()
  ret void
}

; CHECK-LABEL: @leaf(
; CHECK-NEXT: store i32 1, ptr %p
; CHECK-NEXT: ret void
define void @leaf(ptr %p) {
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: @disabled(
; CHECK-NEXT: store i32 1, ptr %p
; CHECK-NEXT: store atomic i32 1
; CHECK-NEXT: call void @other()
; CHECK-NEXT: ret void
define void @disabled(ptr %p, ptr %flag) disable_sanitizer_instrumentation {
  store i32 1, ptr %p
  store atomic i32 1, ptr %flag release, align 4
  call void @other()
  ret void
}

; CHECK-LABEL: @resolver(
; CHECK-NEXT: call void @other()
; CHECK-NEXT: ret ptr @leaf
define ptr @resolver() sanitize_thread {
  call void @other()
  ret ptr @leaf
}
