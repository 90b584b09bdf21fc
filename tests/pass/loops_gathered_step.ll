; a[i * n]: both the base and n are loaded anew. The step is the distance of the first two accesses; the walk goes on as
; long as it stays the same. An index that is loaded from elsewhere each time is no walk.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @gathered(
; CHECK: loop:
; CHECK-DAG: %redflag.first = phi ptr [ %[[new_first:.*]], %loop ], [ null, %entry ]
; CHECK-DAG: %redflag.last = phi ptr [ %p, %loop ], [ null, %entry ]
; CHECK-DAG: %redflag.gathered = phi i64 [ %[[new_count:.*]], %loop ], [ 0, %entry ]
; CHECK-DAG: %redflag.step = phi i64 [ %redflag.apart, %loop ], [ 0, %entry ]
; CHECK: %[[at:.*]] = ptrtoint ptr %p to i64
; CHECK: %[[was:.*]] = ptrtoint ptr %redflag.last to i64
; CHECK: %redflag.apart = sub i64 %[[at]], %[[was]]
; CHECK: %[[even:.*]] = icmp eq i64 %redflag.apart, %redflag.step
; CHECK: %[[second:.*]] = icmp eq i64 %redflag.gathered, 1
; CHECK: %[[goes_on:.*]] = or i1 %[[even]], %[[second]]
; CHECK: %[[new_first]] = select i1 %[[goes_on]], ptr %redflag.first, ptr %p
; CHECK: %[[so_far:.*]] = select i1 %[[goes_on]], i64 %redflag.gathered, i64 0
; CHECK: %[[new_count]] = add i64 %[[so_far]], 1
; CHECK: %[[ended:.*]] = select i1 %[[goes_on]], i64 0, i64 %redflag.gathered
; CHECK: call void @redflag.range(ptr %redflag.first, i64 %redflag.step, i64 %[[ended]], i64 8, i32 1), !redflag.rare
; CHECK-NOT: call void @redflag.check
; CHECK: end:
; CHECK-DAG: %[[from:.*]] = phi ptr [ %[[new_first]], %loop ]
; CHECK-DAG: %[[all:.*]] = phi i64 [ %[[new_count]], %loop ]
; CHECK-DAG: %[[apart:.*]] = phi i64 [ %redflag.apart, %loop ]
; CHECK: call void @redflag.range(ptr %[[from]], i64 %[[apart]], i64 %[[all]], i64 8, i32 1), !redflag.gathered
; CHECK: ret void
define void @gathered(ptr %base, ptr %width, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %w = load i64, ptr %width
  %index = mul i64 %w, %i
  %a = load ptr, ptr %base
  %p = getelementptr inbounds double, ptr %a, i64 %index
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  store double 0.0, ptr %p
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @anywhere(
; CHECK-NOT: call void @redflag.range
; CHECK: call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
; CHECK: ret void
define void @anywhere(ptr %base, ptr noalias %table, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %t = getelementptr inbounds i64, ptr %table, i64 %i
  %w = load i64, ptr %t
  %index = mul i64 %w, %i
  %a = load ptr, ptr %base
  %p = getelementptr inbounds double, ptr %a, i64 %index
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  store double 0.0, ptr %p
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
