; A loop that does nothing but wait for a value: its load is marked (8), and becomes a call of its own.
; RUN: %opt -passes=redflag-instrument %s | %check
; RUN: %opt -passes=redflag-instrument,redflag-lower %s | %check --check-prefix=LOWERED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare i32 @sched_yield()
declare void @take(i32)

; CHECK-LABEL: @waits(
; CHECK: call void @redflag.check(ptr align 4 %p, i64 4, i32 8)
; LOWERED-LABEL: @waits(
; LOWERED: call void @__redflag_poll_read(ptr %p, i64 4)
define void @waits(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %value = load i32, ptr %p, align 4
  %is_zero = icmp eq i32 %value, 0
  br i1 %is_zero, label %again, label %end
again:
  %ignored = call i32 @sched_yield()
  br label %loop
end:
  ret void
}

; The address is loaded each time, too: it is the value that is waited for.
; CHECK-LABEL: @waits_behind_pointer(
; CHECK: call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
; CHECK: call void @redflag.check(ptr align 8 %at, i64 8, i32 8)
define void @waits_behind_pointer(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %at = load ptr, ptr %p, align 8
  %value = load i64, ptr %at, align 8
  %is_zero = icmp eq i64 %value, 0
  call void asm sideeffect "", "~{memory}"()
  br i1 %is_zero, label %loop, label %end
end:
  ret void
}

; It walks, it stores, or it hands over what it computes: not waiting.
; CHECK-LABEL: @walks(
; CHECK-NOT: i32 8)
; CHECK-LABEL: @stores(
; CHECK-NOT: i32 8)
; CHECK-LABEL: @hands_over(
; CHECK-NOT: i32 8)
define void @walks(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %p, i64 %i
  %value = load i32, ptr %at, align 4
  %next = add i64 %i, 1
  %is_zero = icmp eq i32 %value, 0
  br i1 %is_zero, label %loop, label %end
end:
  ret void
}
define void @stores(ptr %p, ptr %q) sanitize_thread {
entry:
  br label %loop
loop:
  %value = load i32, ptr %p, align 4
  store i32 1, ptr %q, align 4
  %is_zero = icmp eq i32 %value, 0
  br i1 %is_zero, label %loop, label %end
end:
  ret void
}
define void @hands_over(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %value = load i32, ptr %p, align 4
  call void @take(i32 %value)
  %is_zero = icmp eq i32 %value, 0
  br i1 %is_zero, label %loop, label %end
end:
  ret void
}
