; From the inside out: the rows are ranges in the outer loop; what stays the same in both leaves both.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @nested(
; CHECK: entry:
; CHECK: call void @redflag.check(ptr align 8 %sum, i64 8, i32 1)
; CHECK: outer:
; CHECK: call void @redflag.range(ptr %{{.*}}, i64 8, i64 64, i64 8, i32 0)
; CHECK: inner:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @nested(ptr %a, ptr %sum, i64 %rows) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
  %p = getelementptr inbounds [100 x double], ptr %a, i64 %i, i64 %j
  call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
  call void @redflag.check(ptr align 8 %sum, i64 8, i32 1)
  %next_j = add nuw nsw i64 %j, 1
  %more_j = icmp ult i64 %next_j, 64
  br i1 %more_j, label %inner, label %latch
latch:
  %next_i = add nuw nsw i64 %i, 1
  %more_i = icmp slt i64 %next_i, %rows
  br i1 %more_i, label %outer, label %end
end:
  ret void
}
