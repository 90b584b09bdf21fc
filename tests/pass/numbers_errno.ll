; log may set errno, which nobody in this function can see: the loads of a base around it become one. Where errno is asked
; for, everything stays as it is.
; RUN: %opt -passes=redflag-numbers %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @log(double)
declare ptr @__errno_location()
declare double @unknown(double)

; CHECK-LABEL: @one_load(
; CHECK-COUNT-1: load ptr, ptr %base
; CHECK-NOT: load ptr, ptr %base
; CHECK: ret void
define void @one_load(ptr %base, double %x) {
  %a = load ptr, ptr %base
  %y = call double @log(double %x)
  %b = load ptr, ptr %base
  call void @use(ptr %a, ptr %b, double %y)
  ret void
}

; CHECK-LABEL: @asks_errno(
; CHECK-COUNT-2: load ptr, ptr %base
; CHECK: ret i32
define i32 @asks_errno(ptr %base, double %x) {
  %a = load ptr, ptr %base
  %y = call double @log(double %x)
  %b = load ptr, ptr %base
  call void @use(ptr %a, ptr %b, double %y)
  %e = call ptr @__errno_location()
  %v = load i32, ptr %e
  ret i32 %v
}

; A function that is not the C library's may write anything.
; CHECK-LABEL: @other_function(
; CHECK-COUNT-2: load ptr, ptr %base
; CHECK: ret void
define void @other_function(ptr %base, double %x) {
  %a = load ptr, ptr %base
  %y = call double @unknown(double %x)
  %b = load ptr, ptr %base
  call void @use(ptr %a, ptr %b, double %y)
  ret void
}

; Nor may one that the program wants to be called as it is.
; CHECK-LABEL: @no_builtin(
; CHECK-COUNT-2: load ptr, ptr %base
; CHECK: ret void
define void @no_builtin(ptr %base, double %x) {
  %a = load ptr, ptr %base
  %y = call double @log(double %x) nobuiltin
  %b = load ptr, ptr %base
  call void @use(ptr %a, ptr %b, double %y)
  ret void
}
declare void @use(ptr, ptr, double)
