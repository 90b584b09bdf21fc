; A write's check stands for a read's, before it or after it; a read's for no write's.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @read_after_write(
; CHECK-COUNT-1: call void @redflag.check(ptr %p, i64 4, i32 1)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @read_after_write(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @read_before_write(
; CHECK-NOT: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 1)
; CHECK: ret void
define void @read_before_write(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @write_after_read(
; CHECK: call void @redflag.check(ptr %p, i64 8, i32 0)
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 1)
; CHECK: ret void
define void @write_after_read(ptr %p) {
  call void @redflag.check(ptr %p, i64 8, i32 0)
  call void @redflag.check(ptr %p, i64 4, i32 1)
  ret void
}

; Volatile accesses and virtual tables' pointers are reported as such: none of them goes, none stands for others.
; CHECK-LABEL: @special(
; CHECK-COUNT-4: call void @redflag.check
; CHECK: ret void
define void @special(ptr %p) {
  call void @redflag.check(ptr %p, i64 8, i32 3)
  call void @redflag.check(ptr %p, i64 8, i32 3)
  call void @redflag.check(ptr %p, i64 8, i32 4)
  call void @redflag.check(ptr %p, i64 8, i32 0)
  ret void
}
