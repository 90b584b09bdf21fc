; The accesses of an unrolled loop that follow each other at equal distances are one walk again, forwards and backwards.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @unrolled(
; CHECK: call void @redflag.range(ptr %a, i64 8, i64 50, i64 4, i32 0)
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @unrolled(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds [4 x i32], ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %q = getelementptr inbounds [4 x i32], ptr %a, i64 %i, i64 2
  call void @redflag.check(ptr align 4 %q, i64 4, i32 0)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 25
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @unrolled_backwards(
; CHECK: %[[last:.*]] = getelementptr i8, ptr %a, i64 392
; CHECK: call void @redflag.range(ptr %[[last]], i64 -8, i64 50, i64 4, i32 0)
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @unrolled_backwards(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 24, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds [4 x i32], ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %q = getelementptr inbounds [4 x i32], ptr %a, i64 %i, i64 2
  call void @redflag.check(ptr align 4 %q, i64 4, i32 0)
  %next = add nsw i64 %i, -1
  %done = icmp eq i64 %i, 0
  br i1 %done, label %end, label %loop
end:
  ret void
}

; Distances that do not fill the step: two walks.
; CHECK-LABEL: @uneven(
; CHECK-DAG: call void @redflag.range(ptr %a, i64 16, i64 25, i64 4, i32 0)
; CHECK-DAG: call void @redflag.range(ptr %{{.*}}, i64 16, i64 25, i64 4, i32 0)
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @uneven(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds [4 x i32], ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %q = getelementptr inbounds [4 x i32], ptr %a, i64 %i, i64 3
  call void @redflag.check(ptr align 4 %q, i64 4, i32 0)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 25
  br i1 %more, label %loop, label %end
end:
  ret void
}
