; A pointer that a loop computes anew is another address in each iteration; one from outside stays the same.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @new_base(
; CHECK: loop:
; CHECK: call void @redflag.check(ptr %p
; CHECK: br i1
define void @new_base(ptr %first, i1 %more) {
entry:
  br label %loop
loop:
  %p = phi ptr [ %first, %entry ], [ %next, %loop ]
  call void @redflag.check(ptr %p, i64 8, i32 0)
  %next = load ptr, ptr %p
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @loaded_base(
; CHECK: loop:
; CHECK: call void @redflag.check(ptr %p
; CHECK: br i1
define void @loaded_base(ptr %at, i1 %more) {
entry:
  br label %loop
loop:
  %p = load volatile ptr, ptr %at
  call void @redflag.check(ptr %p, i64 8, i32 0)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @old_base(
; CHECK: entry:
; CHECK: call void @redflag.check(ptr %p
; CHECK: loop:
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @old_base(ptr %p, i1 %more) {
entry:
  call void @redflag.check(ptr %p, i64 8, i32 0)
  br label %loop
loop:
  call void @redflag.check(ptr %p, i64 8, i32 0)
  br i1 %more, label %loop, label %end
end:
  ret void
}
