; A loop with a call that is not known, an atomic that orders, or something that may throw keeps all its checks.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @unknown()
declare void @may_throw() nosync nofree
declare i32 @__tsan_atomic32_load(ptr, i32)
declare double @sin(double)

; CHECK-LABEL: @calls(
; CHECK: loop:
; CHECK: call void @redflag.check
; CHECK: ret void
define void @calls(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  call void @unknown()
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @throws(
; CHECK: loop:
; CHECK: call void @redflag.check
; CHECK: ret void
define void @throws(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  call void @may_throw()
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @acquires(
; CHECK: loop:
; CHECK: call void @redflag.check
; CHECK: ret void
define void @acquires(ptr %a, ptr %flag, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %x = call i32 @__tsan_atomic32_load(ptr %flag, i32 2)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Relaxed atomics and functions on numbers are no reason.
; CHECK-LABEL: @quiet(
; CHECK: call void @redflag.range
; CHECK: loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @quiet(ptr %a, ptr %flag, i64 %n, double %y) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %x = call i32 @__tsan_atomic32_load(ptr %flag, i32 0)
  %z = call double @sin(double %y)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
