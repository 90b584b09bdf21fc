; for (i = 0; i < n; ++i) a[i]: one range of n elements before the loop, none in it. The count is that of the loop: where
; it may not run at all, the way there is not taken either.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @dense(
; CHECK: {{^}}loop.preheader:
; CHECK: call void @redflag.range(ptr %a, i64 4, i64 %n, i64 4, i32 1)
; CHECK: {{^}}loop:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @dense(ptr %a, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  store i32 1, ptr %p
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; As a compiler leaves a loop that it did not turn around: the header decides, so the body runs once less than it.
; CHECK-LABEL: @header_decides(
; CHECK: %[[n:.*]] = call i64 @llvm.smax.i64(i64 %n, i64 0)
; CHECK: call void @redflag.range(ptr %a, i64 4, i64 %[[n]], i64 4, i32 0)
; CHECK: head:
; CHECK-NOT: call void @redflag
; CHECK: ret void
define void @header_decides(ptr %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %x = load i32, ptr %p
  %next = add nuw nsw i64 %i, 1
  br label %head
end:
  ret void
}
