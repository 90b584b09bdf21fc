; The base is loaded anew in every iteration, and mostly is the same: while each access goes on where the one before
; ended, they are gathered; what was gathered is checked when one does not, and on the way out.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @gathered(
; CHECK: loop:
; CHECK-DAG: %redflag.first = phi ptr [ %[[new_first:.*]], %loop ], [ null, %entry ]
; CHECK-DAG: %redflag.next = phi ptr [ %[[new_next:.*]], %loop ], [ null, %entry ]
; CHECK: %[[goes_on:.*]] = icmp eq ptr %p, %redflag.next
; CHECK: %[[new_first]] = select i1 %[[goes_on]], ptr %redflag.first, ptr %p
; CHECK: %[[new_next]] = getelementptr i8, ptr %p, i64 8
; CHECK: %[[so_far:.*]] = select i1 %[[goes_on]], i64 %redflag.gathered, i64 0
; CHECK: %[[new_count:.*]] = add i64 %[[so_far]], 1
; CHECK: %[[ended:.*]] = select i1 %[[goes_on]], i64 0, i64 %redflag.gathered
; CHECK: call void @redflag.range(ptr %redflag.first, i64 8, i64 %[[ended]], i64 8, i32 1)
; CHECK-NOT: call void @redflag.check
; CHECK: end:
; CHECK-DAG: %[[from:.*]] = phi ptr [ %[[new_first]], %loop ]
; CHECK-DAG: %[[all:.*]] = phi i64 [ %[[new_count]], %loop ]
; CHECK: call void @redflag.range(ptr %[[from]], i64 8, i64 %[[all]], i64 8, i32 1)
; CHECK: ret void
define void @gathered(ptr %base, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = load ptr, ptr %base
  %p = getelementptr inbounds double, ptr %a, i64 %i
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  store double 0.0, ptr %p
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
