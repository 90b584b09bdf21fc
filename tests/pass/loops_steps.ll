; Steps of all sorts: larger than the element, backwards from the last one, known at run time only.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @strided(
; CHECK: call void @redflag.range(ptr %a, i64 24, i64 %n, i64 8, i32 0)
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @strided(ptr %a, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds [3 x i64], ptr %a, i64 %i
  call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @backwards(
; CHECK: %[[last:.*]] = getelementptr i8, ptr %a, i64 396
; CHECK: call void @redflag.range(ptr %[[last]], i64 -4, i64 100, i64 4, i32 0)
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @backwards(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 99, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %next = add nsw i64 %i, -1
  %done = icmp eq i64 %i, 0
  br i1 %done, label %end, label %loop
end:
  ret void
}

; CHECK-LABEL: @variable(
; CHECK: %[[bytes:.*]] = shl i64 %step, 3
; CHECK: call void @redflag.range(ptr %a, i64 %[[bytes]], i64 100, i64 8, i32 1)
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @variable(ptr %a, i64 %step) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = mul i64 %i, %step
  %p = getelementptr double, ptr %a, i64 %k
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, 100
  br i1 %more, label %loop, label %end
end:
  ret void
}
