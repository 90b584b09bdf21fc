; In a loop that only computes, the base of the array is loaded once, before it.
; RUN: %opt -passes=redflag-numbers %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @sin(double)

; CHECK-LABEL: @loop(
; CHECK: load ptr, ptr %base
; CHECK: loop:
; CHECK-NOT: load ptr
; CHECK: ret void
define void @loop(ptr noalias %base, ptr noalias %from, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr double, ptr %from, i64 %i
  %x = load double, ptr %p
  %y = call double @sin(double %x)
  %a = load ptr, ptr %base
  %q = getelementptr double, ptr %a, i64 %i
  %old = load double, ptr %q
  %sum = fadd double %old, %y
  store double %sum, ptr %from
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
