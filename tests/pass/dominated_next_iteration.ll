; What the next iteration checks may never come: it stands for nothing of this one.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @unknown()

; CHECK-LABEL: @next_iteration(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 1)
; CHECK: call void @unknown
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: br i1
define void @next_iteration(ptr %p, ptr %more) {
entry:
  br label %loop
loop:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  call void @unknown()
  call void @redflag.check(ptr %p, i64 4, i32 0)
  %c = load volatile i1, ptr %more
  br i1 %c, label %loop, label %end
end:
  ret void
}

; Nor is anything put off until a loop has ended.
; CHECK-LABEL: @behind_a_loop(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: loop:
; CHECK: end:
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 1)
define void @behind_a_loop(ptr %p, ptr %more) {
entry:
  call void @redflag.check(ptr %p, i64 4, i32 0)
  br label %loop
loop:
  %c = load volatile i1, ptr %more
  br i1 %c, label %loop, label %end
end:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}
