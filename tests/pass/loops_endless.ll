; A loop that has no way out keeps its checks: behind it is never.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @endless(
; CHECK: loop:
; CHECK: call void @redflag.check
; CHECK: br label %loop
define void @endless(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %next = add i64 %i, 1
  br label %loop
}
