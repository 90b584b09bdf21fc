; What stays in the loop: accesses that some iterations do not make, addresses that are no walk, volatile ones.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @conditional(
; CHECK-NOT: call void @redflag.range
; CHECK: then:
; CHECK: call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
; CHECK-NOT: call void @redflag.range
; CHECK: ret void
define void @conditional(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %odd = trunc i64 %i to i1
  br i1 %odd, label %then, label %latch
then:
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @indirect(
; CHECK: loop:
; CHECK: call void @redflag.check(ptr align 4 %q, i64 4, i32 0)
; CHECK: call void @redflag.check(ptr align 8 %p, i64 8, i32 2)
; CHECK: ret void
define void @indirect(ptr %index, ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i64, ptr %index, i64 %i
  %k = load i64, ptr %p
  %q = getelementptr inbounds i32, ptr %a, i64 %k
  call void @redflag.check(ptr align 4 %q, i64 4, i32 0)
  call void @redflag.check(ptr align 8 %p, i64 8, i32 2)
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
