; A vector of which only some lanes are used, as of a vectorised loop over every other element: those are checked, and
; neighbours together. What lies in between is read by the machine, not by the program.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @use(<4 x float>)

; CHECK-LABEL: @every_other(
; CHECK: %[[a:.*]] = getelementptr i8, ptr %p, i64 0
; CHECK: call void @redflag.check(ptr align 16 %[[a]], i64 4, i32 0)
; CHECK: %[[b:.*]] = getelementptr i8, ptr %p, i64 8
; CHECK: call void @redflag.check(ptr align 8 %[[b]], i64 4, i32 0)
; CHECK: %[[c:.*]] = getelementptr i8, ptr %p, i64 16
; CHECK: call void @redflag.check(ptr align 16 %[[c]], i64 4, i32 0)
; CHECK: %[[d:.*]] = getelementptr i8, ptr %p, i64 24
; CHECK: call void @redflag.check(ptr align 8 %[[d]], i64 4, i32 0)
; CHECK-NEXT: load <8 x float>
define void @every_other(ptr %p) sanitize_thread {
  %wide = load <8 x float>, ptr %p, align 16
  %some = shufflevector <8 x float> %wide, <8 x float> poison, <4 x i32> <i32 0, i32 2, i32 4, i32 6>
  call void @use(<4 x float> %some)
  ret void
}

; As the second operand, with lanes that do not matter; and one lane by itself.
; CHECK-LABEL: @some(
; CHECK: %[[a:.*]] = getelementptr i8, ptr %p, i64 4
; CHECK: call void @redflag.check(ptr align 4 %[[a]], i64 12, i32 0)
; CHECK-NEXT: load <4 x float>
define float @some(ptr %p, <4 x float> %other) sanitize_thread {
  %wide = load <4 x float>, ptr %p, align 16
  %some = shufflevector <4 x float> %other, <4 x float> %wide, <4 x i32> <i32 0, i32 5, i32 poison, i32 6>
  call void @use(<4 x float> %some)
  %one = extractelement <4 x float> %wide, i64 3
  ret float %one
}

; All lanes are used, or it is not known which.
; CHECK-LABEL: @all(
; CHECK: call void @redflag.check(ptr align 16 %p, i64 16, i32 0)
; CHECK: call void @redflag.check(ptr align 16 %q, i64 16, i32 0)
; CHECK: call void @redflag.check(ptr align 16 %p, i64 16, i32 2)
define float @all(ptr %p, ptr %q, i64 %i) sanitize_thread {
  %wide = load <4 x float>, ptr %p, align 16
  %some = shufflevector <4 x float> %wide, <4 x float> poison, <4 x i32> <i32 0, i32 2, i32 0, i32 2>
  call void @use(<4 x float> %some)
  call void @use(<4 x float> %wide)
  %other = load <4 x float>, ptr %q, align 16
  %one = extractelement <4 x float> %other, i64 %i
  %volatile = load volatile <4 x float>, ptr %p, align 16
  %two = extractelement <4 x float> %volatile, i64 0
  ret float %one
}
