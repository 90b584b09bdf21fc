; Two halves cover the whole; a part of it, or halves with a gap, do not. (What may throw keeps the last check from
; standing for those before it.)
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @may_throw() nosync nofree

; CHECK-LABEL: @halves(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 1)
; CHECK: call void @redflag.check(ptr %q, i64 4, i32 1)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @halves(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr %p, i64 4, i32 1)
  call void @redflag.check(ptr %q, i64 4, i32 1)
  call void @redflag.check(ptr %p, i64 8, i32 0)
  ret void
}

; CHECK-LABEL: @inside(
; CHECK-COUNT-1: call void @redflag.check(ptr %p, i64 16, i32 0)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @inside(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 12
  call void @redflag.check(ptr %p, i64 16, i32 0)
  call void @redflag.check(ptr %q, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @partly(
; CHECK: call void @redflag.check(ptr %p, i64 8, i32 0)
; CHECK: call void @redflag.check(ptr %q, i64 8, i32 0)
; CHECK: ret void
define void @partly(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr %p, i64 8, i32 0)
  call void @redflag.check(ptr %q, i64 8, i32 0)
  ret void
}

; CHECK-LABEL: @gap(
; CHECK-COUNT-3: call void @redflag.check
; CHECK: ret void
define void @gap(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 8
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void @redflag.check(ptr %q, i64 4, i32 0)
  call void @may_throw()
  call void @redflag.check(ptr %p, i64 12, i32 0)
  ret void
}

; One half written, one read: together they stand for a read, not for a write.
; CHECK-LABEL: @mixed_halves(
; CHECK-COUNT-3: call void @redflag.check
; CHECK: ret void
define void @mixed_halves(ptr %p) {
  %q = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr %p, i64 4, i32 1)
  call void @redflag.check(ptr %q, i64 4, i32 0)
  call void @may_throw()
  call void @redflag.check(ptr %p, i64 8, i32 1)
  ret void
}
