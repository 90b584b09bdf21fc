; What stays apart: bytes that do not touch, reads and writes, volatile accesses, other bases, large ones.
; RUN: %opt -passes=redflag-merge %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @gap(
; CHECK-COUNT-2: call void @redflag.check(ptr {{.*}}, i64 4, i32 0)
define void @gap(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  %y = getelementptr i8, ptr %p, i64 5
  call void @redflag.check(ptr %y, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @kinds(
; CHECK: call void @redflag.check(ptr {{.*}}, i64 4, i32 0)
; CHECK: call void @redflag.check(ptr {{.*}}, i64 4, i32 1)
define void @kinds(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  %y = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr %y, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @volatile(
; CHECK-COUNT-2: call void @redflag.check(ptr {{.*}}, i64 4, i32 2)
define void @volatile(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 2)
  %y = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr %y, i64 4, i32 2)
  ret void
}

; CHECK-LABEL: @bases(
; CHECK-COUNT-2: call void @redflag.check(ptr {{.*}}, i64 4, i32 0)
define void @bases(ptr %p, ptr %q) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  %y = getelementptr i8, ptr %q, i64 4
  call void @redflag.check(ptr %y, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @large(
; CHECK: call void @redflag.check(ptr {{.*}}, i64 4096, i32 0)
; CHECK: call void @redflag.check(ptr {{.*}}, i64 4, i32 0)
define void @large(ptr %p) {
  call void @redflag.check(ptr %p, i64 4096, i32 0)
  %y = getelementptr i8, ptr %p, i64 4096
  call void @redflag.check(ptr %y, i64 4, i32 0)
  ret void
}
