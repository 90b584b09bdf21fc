; Sizes of all sorts, as calls: those of machine words have functions of their own, others say how many bytes they are.
; RUN: %opt -passes='function(redflag-instrument,redflag-lower-to-calls)' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @sizes(
; CHECK: call preserve_mostcc void @__redflag_check_read1(ptr %p)
; CHECK: call preserve_mostcc void @__redflag_check_read2(ptr %p)
; CHECK: call preserve_mostcc void @__redflag_check_read4(ptr %p)
; CHECK: call preserve_mostcc void @__redflag_check_read8(ptr %p)
; CHECK: call preserve_mostcc void @__redflag_check_read16(ptr %p)
; CHECK: call preserve_mostcc void @__redflag_read_n(ptr %p, i64 3)
; CHECK: load i24
; CHECK: call preserve_mostcc void @__redflag_check_read1(ptr %p)
; CHECK: load i1,
; CHECK: call preserve_mostcc void @__redflag_read_n(ptr %p, i64 10)
; CHECK: load x86_fp80
; CHECK: call preserve_mostcc void @__redflag_check_read8(ptr %p)
; CHECK: load <2 x float>
; CHECK: call preserve_mostcc void @__redflag_read_n(ptr %p, i64 12)
; CHECK: load <3 x float>
; CHECK: call preserve_mostcc void @__redflag_read_n(ptr %p, i64 32)
; CHECK: load <8 x float>
; CHECK: call preserve_mostcc void @__redflag_read_n(ptr %p, i64 64)
; CHECK: load <16 x i32>
; CHECK: call preserve_mostcc void @__redflag_write_n(ptr %p, i64 64)
; CHECK: store <16 x i32>
; CHECK: call void @__redflag_read_range(ptr %p, i64 128)
; CHECK: load <32 x i32>
define void @sizes(ptr %p) sanitize_thread {
  %a = load i8, ptr %p
  %b = load i16, ptr %p
  %c = load i32, ptr %p
  %d = load i64, ptr %p
  %e = load i128, ptr %p
  %f = load i24, ptr %p
  %g = load i1, ptr %p
  %h = load x86_fp80, ptr %p
  %i = load <2 x float>, ptr %p
  %j = load <3 x float>, ptr %p
  %k = load <8 x float>, ptr %p
  %l = load <16 x i32>, ptr %p
  store <16 x i32> %l, ptr %p
  %m = load <32 x i32>, ptr %p
  ret void
}
