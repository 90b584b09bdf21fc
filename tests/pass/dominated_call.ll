; A call of what is not known may take a lock or free memory: what was checked before it is checked again.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @unknown()
declare void @quiet() nosync nofree nounwind willreturn
declare void @frees() nosync nounwind willreturn
declare double @sin(double)
declare i64 @strlen(ptr)

; CHECK-LABEL: @across_unknown(
; CHECK: call void @redflag.check
; CHECK: call void @unknown
; CHECK: call void @redflag.check
define void @across_unknown(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void @unknown()
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @across_frees(
; CHECK: call void @redflag.check
; CHECK: call void @frees
; CHECK: call void @redflag.check
define void @across_frees(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void @frees()
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @across_pointer(
; CHECK: call void @redflag.check
; CHECK: call void %f()
; CHECK: call void @redflag.check
define void @across_pointer(ptr %p, ptr %f) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void %f()
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @across_assembly(
; CHECK: call void @redflag.check
; CHECK: call void asm
; CHECK: call void @redflag.check
define void @across_assembly(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void asm sideeffect "mfence", "~{memory}"()
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; Functions on numbers and bytes, and those that LLVM knows to be quiet, order nothing.
; CHECK-LABEL: @across_quiet(
; CHECK-COUNT-1: call void @redflag.check
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @across_quiet(ptr %p, ptr %s, double %x) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void @quiet()
  %y = call double @sin(double %x)
  %n = call i64 @strlen(ptr %s)
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}
