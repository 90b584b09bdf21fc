; Volatile accesses and virtual tables' pointers go to the functions that tell them apart, without a comparison.
; RUN: %opt -passes=redflag-lower %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @special(
; CHECK-NEXT: call void @__tsan_volatile_read1(ptr %p)
; CHECK-NEXT: call void @__tsan_unaligned_volatile_read4(ptr %p)
; CHECK-NEXT: call void @__tsan_unaligned_volatile_write16(ptr %p)
; CHECK-NEXT: call void @__tsan_vptr_read(ptr %p)
; CHECK-NEXT: call preserve_mostcc void @__redflag_write_n(ptr %p, i64 3)
; CHECK-NEXT: ret void
define void @special(ptr %p) {
  call void @redflag.check(ptr %p, i64 1, i32 2)
  call void @redflag.check(ptr %p, i64 4, i32 2)
  call void @redflag.check(ptr %p, i64 16, i32 3)
  call void @redflag.check(ptr %p, i64 8, i32 4)
  call void @redflag.check(ptr %p, i64 3, i32 3)
  ret void
}
