; Slots of a virtual table are constant, whoever's object it is; the pointer to the table is not.
; RUN: %opt -passes=redflag-local %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr nocapture readnone, i64, i32)

; CHECK-LABEL: @calls(
; CHECK: call void @redflag.check(ptr align 8 %object, i64 8, i32 4)
; CHECK-NOT: call void @redflag.check
; CHECK: ret ptr
define ptr @calls(ptr %object) {
  call void @redflag.check(ptr align 8 %object, i64 8, i32 4)
  %table = load ptr, ptr %object, !tbaa !0
  %slot = getelementptr inbounds ptr, ptr %table, i64 2
  call void @redflag.check(ptr align 8 %slot, i64 8, i32 0)
  %f = load ptr, ptr %slot
  ret ptr %f
}

; CHECK-LABEL: @another_pointer(
; CHECK: call void @redflag.check(ptr align 8 %slot, i64 8, i32 0)
define ptr @another_pointer(ptr %object) {
  %table = load ptr, ptr %object
  %slot = getelementptr inbounds ptr, ptr %table, i64 2
  call void @redflag.check(ptr align 8 %slot, i64 8, i32 0)
  %f = load ptr, ptr %slot
  ret ptr %f
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"Simple C++ TBAA"}
