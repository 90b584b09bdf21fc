; Synchronisation is in every copy, and the frame where something is called: only checks are left out.
; RUN: %sampling -passes='redflag-instrument,redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @unknown()

; CHECK-LABEL: @sync(
; CHECK: {{^}}redflag.start:
; CHECK: store ptr %caller
; CHECK: call void @redflag.check(
; CHECK: call void @unknown()
; CHECK: call i32 @__tsan_atomic32_fetch_add(ptr %p, i32 1, i32 4)
; CHECK: {{^}}redflag.start.unsampled:
; CHECK: store ptr %{{.*}}, ptr %{{.*}}, !redflag.frame
; CHECK-NOT: @redflag.check
; CHECK: call void @unknown()
; CHECK-NOT: @redflag.check
; CHECK: call i32 @__tsan_atomic32_fetch_add(ptr %p, i32 1, i32 4)
; CHECK: {{^}}}
define void @sync(ptr %p, ptr %q) sanitize_thread {
  store i32 1, ptr %q, align 4
  call void @unknown()
  %old = atomicrmw add ptr %p, i32 1 acq_rel
  ret void
}
