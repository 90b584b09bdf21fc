; An access before the exit is made once more often than one behind it.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @before_and_behind(
; CHECK-DAG: call void @redflag.range(ptr %a, i64 4, i64 11, i64 4, i32 0)
; CHECK-DAG: call void @redflag.range(ptr %b, i64 4, i64 10, i64 4, i32 0)
; CHECK: head:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @before_and_behind(ptr %a, ptr %b) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %more = icmp ult i64 %i, 10
  br i1 %more, label %body, label %end
body:
  %q = getelementptr inbounds i32, ptr %b, i64 %i
  call void @redflag.check(ptr align 4 %q, i64 4, i32 0)
  %next = add nuw nsw i64 %i, 1
  br label %head
end:
  ret void
}
