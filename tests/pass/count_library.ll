; What libc and libm execute is counted with the call: library_work.inc, and for memory by its length.
; RUN: %opt -passes=redflag-count %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @exp(double)
declare double @llvm.exp.f64(double)
declare float @llvm.exp.f32(float)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @memset(ptr, i32, i64)

; exp: 53 and its call; the other is not known.
; CHECK-LABEL: @numbers(
; CHECK: add i64 %{{.*}}, 54
; CHECK: call double @exp
; CHECK: add i64 %{{.*}}, 58
; CHECK: ret double
define double @numbers(double %x, float %f) {
  %a = call double @exp(double %x)
  %b = call double @llvm.exp.f64(double %a)
  %c = call float @llvm.exp.f32(float %f)
  %d = fpext float %c to double
  %e = fadd double %b, %d
  ret double %e
}

; A function of the program's own that has the name is counted where it is.
; CHECK-LABEL: @own(
; CHECK: add i64 %{{.*}}, 1
; CHECK: call double @log(
define double @own(double %x) {
  %a = call double @log(double %x)
  ret double %a
}
define double @log(double %x) {
  ret double %x
}

; 40 bytes: three loads and stores and what stands for the call. Many: ten, and one for each ten bytes. A number that only the run
; knows: computed there.
; CHECK-LABEL: @copies(
; CHECK: add i64 %{{.*}}, 7
; CHECK: call void @llvm.memcpy
; CHECK: add i64 %{{.*}}, 111
; CHECK: call void @llvm.memcpy
; CHECK: %[[sum:.*]] = add i64 %{{.*}}, 11
; CHECK: %[[more:.*]] = udiv i64 %n, 10
; CHECK: add i64 %[[sum]], %[[more]]
; CHECK: call ptr @memset
define void @copies(ptr %p, ptr %q, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 40, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 1000, i1 false)
  %same = call ptr @memset(ptr %p, i32 0, i64 %n)
  ret void
}
