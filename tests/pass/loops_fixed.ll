; One address in all iterations: checked once before the loop, if the first iteration is sure to come by.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @sure(
; CHECK: call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @sure(ptr %p, ptr %more_at) {
entry:
  br label %loop
loop:
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @behind_the_exit(
; CHECK: head:
; CHECK: body:
; CHECK: call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
; CHECK: ret void
define void @behind_the_exit(ptr %p, ptr %more_at) {
entry:
  br label %head
head:
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %body, label %end
body:
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  br label %head
end:
  ret void
}
