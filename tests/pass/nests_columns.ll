; The columns of a matrix, one range each: gathered over the outer loop, under a condition, and checked where one does
; not go on with the others and behind the loop. The step and the count are the same in all of them, and need no look.
; RUN: %opt -passes=redflag-nests %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.range(ptr, i64, i64, i64, i32)

; CHECK-LABEL: @columns(
; CHECK: outer:
; CHECK-DAG: %[[first:redflag.first.0]] = phi ptr [ null, %entry ], [ %[[first_on:.*]], %latch ]
; CHECK-DAG: %[[last:redflag.last.0]] = phi ptr [ null, %entry ], [ %[[last_on:.*]], %latch ]
; CHECK-DAG: %[[pitch:redflag.pitch.0]] = phi i64 [ 0, %entry ], [ %[[pitch_on:.*]], %latch ]
; CHECK-DAG: %[[rows:redflag.rows.0]] = phi i64 [ 0, %entry ], [ %[[rows_on:.*]], %latch ]
; CHECK: before:
; CHECK: %[[at:.*]] = ptrtoint ptr %column to i64
; CHECK: %[[was:.*]] = ptrtoint ptr %[[last]] to i64
; CHECK: %[[apart:.*]] = sub i64 %[[at]], %[[was]]
; CHECK: %[[even:.*]] = icmp eq i64 %[[apart]], %[[pitch]]
; CHECK: %[[second:.*]] = icmp eq i64 %[[rows]], 1
; CHECK: %[[goes_on:.*]] = or i1 %[[even]], %[[second]]
; CHECK: %[[ended:.*]] = select i1 %[[goes_on]], i64 0, i64 %[[rows]]
; CHECK: call void @redflag.rows(ptr %[[first]], i64 512, i64 %n, i64 8, i32 1, i64 %[[ended]], i64 %[[pitch]])
; CHECK-NOT: call void @redflag.range
; CHECK: latch:
; CHECK: %[[rows_on]] = phi i64 [ %{{.*}}, %inner ], [ %[[rows]], %outer ]
; CHECK: end:
; CHECK: call void @redflag.rows(ptr %[[first_on]], i64 512, i64 %n, i64 8, i32 1, i64 %[[rows_on]], i64 %[[pitch_on]])
; CHECK: ret void
define void @columns(ptr %a, i64 %n, i64 %m, ptr noalias %which) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %w = getelementptr inbounds i8, ptr %which, i64 %i
  %flag = load i8, ptr %w
  %wanted = icmp ne i8 %flag, 0
  %column = getelementptr inbounds double, ptr %a, i64 %i
  br i1 %wanted, label %before, label %latch
before:
  call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 1)
  br label %inner
inner:
  %j = phi i64 [ 0, %before ], [ %next_j, %inner ]
  %at = mul i64 %j, 64
  %p = getelementptr inbounds double, ptr %column, i64 %at
  store double 0.0, ptr %p
  %next_j = add nuw nsw i64 %j, 1
  %more_j = icmp ult i64 %next_j, %n
  br i1 %more_j, label %inner, label %latch
latch:
  %next_i = add nuw nsw i64 %i, 1
  %more_i = icmp slt i64 %next_i, %m
  br i1 %more_i, label %outer, label %end
end:
  ret void
}

; The count of each column is another: it must be the same as in those before.
; CHECK-LABEL: @triangle(
; CHECK: %redflag.count.0 = phi i64
; CHECK: %[[goes_on:.*]] = or i1
; CHECK: %[[as_many:.*]] = icmp eq i64 %i, %redflag.count.0
; CHECK: %[[alike:.*]] = and i1 %[[goes_on]], %[[as_many]]
; CHECK: select i1 %[[alike]], i64 0, i64 %redflag.rows.0
; CHECK: call void @redflag.rows(ptr %redflag.first.0, i64 512, i64 %redflag.count.0, i64 8, i32 0,
; CHECK: end:
; CHECK: call void @redflag.rows(ptr %{{.*}}, i64 512, i64 %i, i64 8, i32 0,
define void @triangle(ptr %a, i64 %m) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 1, %entry ], [ %next_i, %latch ]
  %column = getelementptr inbounds double, ptr %a, i64 %i
  call void @redflag.range(ptr %column, i64 512, i64 %i, i64 8, i32 0)
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
  %at = mul i64 %j, 64
  %p = getelementptr inbounds double, ptr %column, i64 %at
  %x = load double, ptr %p
  %next_j = add nuw nsw i64 %j, 1
  %more_j = icmp ult i64 %next_j, %i
  br i1 %more_j, label %inner, label %latch
latch:
  %next_i = add nuw nsw i64 %i, 1
  %more_i = icmp slt i64 %next_i, %m
  br i1 %more_i, label %outer, label %end
end:
  ret void
}
