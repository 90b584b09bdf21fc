; A search that breaks off: iterations are counted, and the range is checked on each way out, with the iteration that left
; if it came by the access.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @search(
; CHECK: loop:
; CHECK: %redflag.iteration = phi i64 [ %redflag.next, %latch ], [ 0, %entry ]
; CHECK-NOT: call void @redflag
; CHECK: %redflag.done = add i64 %redflag.iteration, 1
; CHECK: br i1 %found
; CHECK: latch:
; CHECK: %[[done:.*]] = add i64 %redflag.iteration, 1
; CHECK: br i1 %more
; CHECK-DAG: phi i64 [ %redflag.done, %loop ]
; CHECK-DAG: phi i64 [ %{{.*}}, %latch ]
; CHECK-DAG: call void @redflag.range(ptr %a, i64 4, i64 %redflag.count, i64 4, i32 0)
; CHECK-DAG: call void @redflag.range(ptr %a, i64 4, i64 %redflag.count{{[0-9]+}}, i64 4, i32 0)
define i1 @search(ptr %a, i64 %n, i32 %wanted) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %x = load i32, ptr %p
  %found = icmp eq i32 %x, %wanted
  br i1 %found, label %yes, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %no
yes:
  ret i1 true
no:
  ret i1 false
}

; An exit before the access: that iteration does not count.
; CHECK-LABEL: @exit_first(
; CHECK: loop:
; CHECK: %redflag.iteration = phi
; CHECK: {{^}}end:
; CHECK: %redflag.count = phi i64 [ %redflag.iteration, %loop ]
; CHECK: call void @redflag.range(ptr %a, i64 4, i64 %redflag.count, i64 4, i32 1)
; CHECK: ret void
define void @exit_first(ptr %a, ptr %more_at) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %body, label %end
body:
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  %next = add nuw nsw i64 %i, 1
  br label %loop
end:
  ret void
}

; Some ways out come by the access, and others do not, not always the same: it stays.
; CHECK-LABEL: @unknown_exit(
; CHECK-NOT: call void @redflag.range
; CHECK: ret void
define void @unknown_exit(ptr %a, ptr %c_at) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %c = load volatile i1, ptr %c_at
  br i1 %c, label %then, label %latch
then:
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  %d = load volatile i1, ptr %c_at
  br i1 %d, label %latch, label %end
latch:
  %next = add nuw nsw i64 %i, 1
  %e = load volatile i1, ptr %c_at
  br i1 %e, label %loop, label %end
end:
  ret void
}
