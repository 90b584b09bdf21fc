; A fence ends what is known; one that only keeps the compiler from moving things does not.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @fence(
; CHECK-COUNT-2: call void @redflag.check
define void @fence(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  fence seq_cst
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @compiler_fence(
; CHECK-COUNT-1: call void @redflag.check
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @compiler_fence(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  fence syncscope("singlethread") seq_cst
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}
