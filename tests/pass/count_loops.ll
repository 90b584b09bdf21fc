; A loop of one block that leaves no event and runs ten times is counted before it; others count in themselves.
; RUN: %opt -passes=redflag-count %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @ten(
; CHECK: entry:
; CHECK: add i64 %{{.*}}, 41
; CHECK: br label %loop
; CHECK: loop:
; CHECK-NOT: @__redflag_hot
; CHECK: end:
; CHECK: add i64 %{{.*}}, 1
; CHECK: ret i32
define i32 @ten(i32 %x) {
entry:
  %start = xor i32 %x, 5
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %start, %entry ], [ %more, %loop ]
  %more = mul i32 %sum, 3
  %next = add i32 %i, 1
  %again = icmp ne i32 %next, 10
  br i1 %again, label %loop, label %end
end:
  ret i32 %more
}

; CHECK-LABEL: @many(
; CHECK: loop:
; CHECK: add i64 %{{.*}}, 4
; CHECK: br i1 %again
define i32 @many(i32 %x, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %x, %entry ], [ %more, %loop ]
  %more = mul i32 %sum, 3
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 %more
}

; CHECK-LABEL: @stores(
; CHECK: loop:
; CHECK: add i64 %{{.*}}, 1
; CHECK: store i32
; CHECK: add i64 %{{.*}}, 3
; CHECK: br i1 %again
define void @stores(ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %i, ptr %p
  %next = add i32 %i, 1
  %again = icmp ne i32 %next, 10
  br i1 %again, label %loop, label %end
end:
  ret void
}
