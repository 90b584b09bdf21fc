; Ranges that stay as they are.
; RUN: %opt -passes=redflag-nests %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.range(ptr, i64, i64, i64, i32)
declare void @anything()

; Something in the outer loop may synchronise.
; CHECK-LABEL: @synchronises(
; CHECK-NOT: call void @redflag.rows
; CHECK: call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0)
; CHECK-NOT: call void @redflag.rows
; CHECK: ret void
define void @synchronises(ptr %a, i64 %n, i64 %m, ptr noalias %table) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %column = getelementptr inbounds double, ptr %a, i64 %i
  call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0)
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
  %next_j = add nuw nsw i64 %j, 1
  %more_j = icmp ult i64 %next_j, %n
  br i1 %more_j, label %inner, label %latch
latch:
  call void @anything()
  %next_i = add nuw nsw i64 %i, 1
  %more_i = icmp slt i64 %next_i, %m
  br i1 %more_i, label %outer, label %end
end:
  ret void
}

; Without gaps: the runtime joins them.
; CHECK-LABEL: @dense(
; CHECK-NOT: call void @redflag.rows
; CHECK: call void @redflag.range(ptr %column, i64 8, i64 %n, i64 8, i32 0)
; CHECK-NOT: call void @redflag.rows
; CHECK: ret void
define void @dense(ptr %a, i64 %n, i64 %m, ptr noalias %table) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %column = getelementptr inbounds double, ptr %a, i64 %i
  call void @redflag.range(ptr %column, i64 8, i64 %n, i64 8, i32 0)
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
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

; CHECK-LABEL: @dense_backwards(
; CHECK-NOT: call void @redflag.rows
; CHECK: call void @redflag.range(ptr %column, i64 -8, i64 %n, i64 8, i32 0)
; CHECK-NOT: call void @redflag.rows
; CHECK: ret void
define void @dense_backwards(ptr %a, i64 %n, i64 %m, ptr noalias %table) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %column = getelementptr inbounds double, ptr %a, i64 %i
  call void @redflag.range(ptr %column, i64 -8, i64 %n, i64 8, i32 0)
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
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

; Each is elsewhere; or a whole row further, beside nothing.
; CHECK-LABEL: @elsewhere(
; CHECK-NOT: call void @redflag.rows
; CHECK: call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0)
; CHECK-NOT: call void @redflag.rows
; CHECK: ret void
define void @elsewhere(ptr %a, i64 %n, i64 %m, ptr noalias %table) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %slot = getelementptr inbounds ptr, ptr %table, i64 %i
  %column = load ptr, ptr %slot
  call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0)
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
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

; CHECK-LABEL: @rows(
; CHECK-NOT: call void @redflag.rows
; CHECK: call void @redflag.range(ptr %column, i64 16, i64 %n, i64 8, i32 0)
; CHECK-NOT: call void @redflag.rows
; CHECK: ret void
define void @rows(ptr %a, i64 %n, i64 %m, ptr noalias %table) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %column = getelementptr inbounds [64 x double], ptr %a, i64 %i
  call void @redflag.range(ptr %column, i64 16, i64 %n, i64 8, i32 0)
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
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

; A gathered walk over elements of a fixed size.
; CHECK-LABEL: @fields(
; CHECK-NOT: call void @redflag.rows
; CHECK: call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0)
; CHECK-NOT: call void @redflag.rows
; CHECK: ret void
define void @fields(ptr %a, i64 %n, i64 %m, ptr noalias %table) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %column = getelementptr inbounds double, ptr %a, i64 %i
  call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0), !redflag.gathered !0
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
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

; What a gathered walk leaves behind.
; CHECK-LABEL: @rare(
; CHECK-NOT: call void @redflag.rows
; CHECK: call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0)
; CHECK-NOT: call void @redflag.rows
; CHECK: ret void
define void @rare(ptr %a, i64 %n, i64 %m, ptr noalias %table) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next_i, %latch ]
  %column = getelementptr inbounds double, ptr %a, i64 %i
  call void @redflag.range(ptr %column, i64 512, i64 %n, i64 8, i32 0), !redflag.rare !0
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %next_j, %inner ]
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

!0 = !{}
