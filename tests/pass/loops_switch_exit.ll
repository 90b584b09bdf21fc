; A switch leaves the loop by two of its cases: one way out, and one count for it.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @by_switch(
; CHECK: %redflag.count = phi i64 [ %redflag.done, %loop ], [ %redflag.done, %loop ]
; CHECK: call void @redflag.range(ptr %a, i64 1, i64 %redflag.count, i64 1, i32 0)
define void @by_switch(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds i8, ptr %a, i64 %i
  call void @redflag.check(ptr align 1 %p, i64 1, i32 0)
  %x = load i8, ptr %p
  switch i8 %x, label %latch [ i8 0, label %end
                               i8 10, label %end ]
latch:
  %next = add nuw nsw i64 %i, 1
  br label %loop
end:
  ret void
}
