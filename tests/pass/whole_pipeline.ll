; All passes in their order, with IR that holds after each: the sum of an array is one range, and the place that it is
; added to one comparison.
; RUN: %opt -passes=redflag %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @sum(
; CHECK: call void @__redflag_read_range(ptr %a, i64 %{{.*}})
; CHECK: loop:
; CHECK-NOT: __redflag
; CHECK: br i1
; CHECK: call preserve_mostcc void @__redflag_check_write8(ptr %to)
; CHECK-NOT: @redflag.
; CHECK: ret void
define void @sum(ptr %a, i64 %n, ptr %to) sanitize_thread {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %more_sum, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %p
  %more_sum = fadd double %sum, %x
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %total = phi double [ 0.0, %entry ], [ %more_sum, %loop ]
  %old = load double, ptr %to
  %new = fadd double %old, %total
  store double %new, ptr %to
  ret void
}
