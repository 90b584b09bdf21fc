; a[i + k[j]], j inside of i: nothing is gathered over i, since the inner loop makes several accesses in each of its
; iterations.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @inside(
; CHECK: {{^}}inner:
; CHECK: call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
; CHECK-NOT: call void @redflag.range
; CHECK: ret void
define void @inside(ptr %a, ptr %k, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %row = getelementptr inbounds i32, ptr %a, i64 %i
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
  %at = getelementptr inbounds i64, ptr %k, i64 %j
  %offset = load i64, ptr %at
  %p = getelementptr inbounds i32, ptr %row, i64 %offset
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %next_j = add nuw nsw i64 %j, 1
  %more_j = icmp ult i64 %next_j, 8
  br i1 %more_j, label %inner, label %latch
latch:
  %next_i = add nuw nsw i64 %i, 1
  %more_i = icmp slt i64 %next_i, %n
  br i1 %more_i, label %outer, label %end
end:
  ret void
}
