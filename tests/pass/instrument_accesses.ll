; A check before every load and store, with the access's own size, alignment and kind.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@__llvm_gcov_ctr = internal global i64 0

; CHECK-LABEL: @accesses(
; CHECK: call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
; CHECK-NEXT: load i32, ptr %p, align 4
; CHECK: call void @redflag.check(ptr align 2 %p, i64 4, i32 1)
; CHECK-NEXT: store i32 %a, ptr %p, align 2
; CHECK: call void @redflag.check(ptr align 16 %p, i64 10, i32 0)
; CHECK-NEXT: load x86_fp80
; CHECK: call void @redflag.check(ptr align 32 %p, i64 32, i32 1)
; CHECK-NEXT: store <8 x float>
; CHECK: call void @redflag.check(ptr align 4 %p, i64 4, i32 2)
; CHECK-NEXT: load volatile
; CHECK: call void @redflag.check(ptr align 8 %p, i64 8, i32 4)
; CHECK-NEXT: load ptr, ptr %p, align 8, !tbaa
; CHECK: call void @__tsan_vptr_update(ptr %p, ptr %table)
; CHECK-NEXT: store ptr %table
define void @accesses(ptr %p, <8 x float> %v, ptr %table) sanitize_thread {
  %a = load i32, ptr %p, align 4
  store i32 %a, ptr %p, align 2
  %b = load x86_fp80, ptr %p, align 16
  store <8 x float> %v, ptr %p, align 32
  %c = load volatile i32, ptr %p, align 4
  %d = load ptr, ptr %p, align 8, !tbaa !0
  store ptr %table, ptr %p, align 8, !tbaa !0
  ret void
}

; Not of the program's memory: other address spaces, the compiler's own counters, what is said to be left alone.
; CHECK-LABEL: @none(
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @none(ptr addrspace(256) %p, ptr %q) sanitize_thread {
  %a = load i32, ptr addrspace(256) %p
  %b = load i64, ptr @__llvm_gcov_ctr
  store i64 %b, ptr @__llvm_gcov_ctr
  store i32 %a, ptr %q, !nosanitize !3
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"Simple C++ TBAA"}
!3 = !{}
