; In a loop that synchronises, a check of one place is made where the thread's count of synchronisations is another than
; at the last check of these bytes.
; RUN: %opt -passes=redflag-repeated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @unknown()

; CHECK-LABEL: @guarded(
; CHECK: {{^}}loop:
; CHECK: %[[seen:.*]] = phi i64 [ -1, %entry ], [ %[[after:.*]], %{{.*}} ]
; CHECK: call void @unknown()
; CHECK: %[[at:.*]] = load ptr, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 24)
; CHECK: %[[now:.*]] = load i64, ptr %[[at]]
; CHECK: %[[changed:.*]] = icmp ne i64 %[[now]], %[[seen]]
; CHECK: br i1 %[[changed]], label %[[then:.*]], label %[[rest:.*]], !prof
; CHECK: [[then]]:
; CHECK-NEXT: call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
; CHECK: [[rest]]:
; CHECK: %[[after]] = phi i64 [ %[[now]], %[[then]] ], [ %[[seen]], %loop ]
; CHECK: ret void
define void @guarded(ptr %p, ptr %more_at) {
entry:
  br label %loop
loop:
  call void @unknown()
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %loop, label %end
end:
  ret void
}
