; A check that is sure to come, before any synchronisation, stands for one before it.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @may_throw() nosync nofree
declare void @abort() noreturn

; CHECK-LABEL: @comes_on_both(
; CHECK-NOT: i32 0)
; CHECK-COUNT-2: call void @redflag.check(ptr %p, i64 4, i32 1)
; CHECK: ret void
define void @comes_on_both(ptr %p, i1 %c) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  br i1 %c, label %a, label %b
a:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
b:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @comes_on_one(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: br i1
define void @comes_on_one(ptr %p, i1 %c) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  br i1 %c, label %a, label %b
a:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
b:
  ret void
}

; It may never come: something in between may throw, or end the program.
; CHECK-LABEL: @across_a_throw(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: call void @may_throw
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 1)
define void @across_a_throw(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void @may_throw()
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @or_ends(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: br i1
define void @or_ends(ptr %p, i1 %c) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  br i1 %c, label %a, label %b
a:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
b:
  call void @abort()
  unreachable
}

; CHECK-LABEL: @across_a_fence(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: fence
define void @across_a_fence(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  fence release
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}
