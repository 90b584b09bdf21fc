; The calls themselves are neither dropped nor merged: what is called later may ask for errno.
; RUN: %opt -passes=redflag-numbers %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @log(double)
declare void @asks_errno()

; CHECK-LABEL: @calls(
; CHECK-COUNT-3: call double @log(double %x)
; CHECK: call void @asks_errno
; CHECK: ret double
define double @calls(double %x) {
  %unused = call double @log(double %x)
  %a = call double @log(double %x)
  %b = call double @log(double %x)
  call void @asks_errno()
  %sum = fadd double %a, %b
  ret double %sum
}
