; Outside of loops the comparison is called, which keeps the code small.
; RUN: %opt -passes=redflag-lower %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @once(
; CHECK-NEXT: call preserve_mostcc void @__redflag_check_write4(ptr %p)
; CHECK-NEXT: call preserve_mostcc void @__redflag_check_read16(ptr %p)
; CHECK-NEXT: call preserve_mostcc void @__redflag_read_n(ptr %p, i64 12)
; CHECK-NEXT: call void @__redflag_write_range(ptr %p, i64 100)
; CHECK-NEXT: ret void
define void @once(ptr %p) {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  call void @redflag.check(ptr align 8 %p, i64 16, i32 0)
  call void @redflag.check(ptr align 4 %p, i64 12, i32 0)
  call void @redflag.check(ptr align 4 %p, i64 100, i32 1)
  ret void
}
