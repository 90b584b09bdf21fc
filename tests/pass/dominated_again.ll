; The same bytes, checked again: the second check goes.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @again(
; CHECK-COUNT-1: call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @again(ptr %p) {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  store i32 1, ptr %p
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  store i32 2, ptr %p
  ret void
}

; Another pointer may be another place.
; CHECK-LABEL: @other(
; CHECK-COUNT-2: call void @redflag.check
; CHECK: ret void
define void @other(ptr %p, ptr %q) {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  call void @redflag.check(ptr align 4 %q, i64 4, i32 1)
  ret void
}
