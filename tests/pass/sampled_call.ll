; A call is sampled or not: its count-down is a word of the thread's own, the runtime is asked when it has run out. The
; copy for calls that are not sampled has no checks and, as it calls nothing, no frame.
; RUN: %sampling -passes='redflag-instrument,redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK: @redflag.slots = internal thread_local global [2 x i32] zeroinitializer
; CHECK: @redflag.sampled = internal constant i8 1, section "redflag_sampled"
; CHECK-LABEL: @call(
; CHECK: %[[left:.*]] = load i32, ptr %[[slot:[a-z0-9]+]]
; CHECK: icmp slt i32 %[[left]], 1024
; CHECK: {{^}}redflag.wait:
; CHECK-NEXT: %[[less:.*]] = sub i32 %[[left]], 1024
; CHECK-NEXT: store i32 %[[less]], ptr %[[slot]]
; CHECK-NEXT: br label %redflag.start.unsampled
; CHECK: call preserve_mostcc void @__redflag_sample(ptr %[[slot]], ptr null, i32 0)
; CHECK: {{^}}redflag.start:
; CHECK: store ptr %caller
; CHECK: call preserve_mostcc void @__redflag_sample(ptr %{{.*}}, ptr %p, i32 2)
; CHECK: call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
; CHECK: {{^}}redflag.start.unsampled:
; CHECK-NEXT: store i32 1, ptr %p
; CHECK-NEXT: br
define void @call(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 4
  ret void
}
