; Copies and fills of few bytes are checked where they are; others are the ABI's, which check.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; CHECK-LABEL: @small(
; CHECK: call void @redflag.check(ptr align 4 %q, i64 64, i32 0)
; CHECK-NEXT: call void @redflag.check(ptr align 8 %p, i64 64, i32 1)
; CHECK-NEXT: call void @llvm.memcpy
; CHECK: call void @redflag.check(ptr align 1 %p, i64 12, i32 1)
; CHECK-NEXT: call void @llvm.memset
; CHECK: call void @redflag.check(ptr align 1 %q, i64 8, i32 2)
; CHECK-NEXT: call void @redflag.check(ptr align 1 %p, i64 8, i32 3)
; CHECK-NEXT: call void @llvm.memcpy{{.*}}i1 true
; CHECK: ret void
define void @small(ptr %p, ptr %q) sanitize_thread {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 4 %q, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 12, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 8, i1 true)
  ret void
}

; CHECK-LABEL: @large(
; CHECK: call ptr @__tsan_memcpy(ptr %p, ptr %q, i64 65)
; CHECK: %[[n:.*]] = zext i32 %n to i64
; CHECK: call ptr @__tsan_memmove(ptr %p, ptr %q, i64 %[[n]])
; CHECK: call ptr @__tsan_memset(ptr %p, i32 7, i64 %m)
; CHECK-NOT: @llvm.mem
; CHECK: ret void
define void @large(ptr %p, ptr %q, i32 %n, i64 %m) sanitize_thread {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 65, i1 false)
  call void @llvm.memmove.p0.p0.i32(ptr %p, ptr %q, i32 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 %m, i1 false)
  ret void
}

; CHECK-LABEL: @nothing(
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @nothing(ptr %p, ptr %q) sanitize_thread {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 0, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 7, i64 0, i1 false)
  ret void
}
