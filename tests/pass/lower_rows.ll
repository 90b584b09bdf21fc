; Rows of ranges: a call with all that they are, and none where there are none.
; RUN: %opt -passes=redflag-lower %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.rows(ptr, i64, i64, i64, i32, i64, i64)

; CHECK-LABEL: @rows(
; CHECK: %[[some:.*]] = icmp ne i64 %rows, 0
; CHECK: br i1 %[[some]]
; CHECK: call void @__redflag_write_rows(ptr %p, i64 %step, i64 %n, i64 8, i64 %rows, i64 %pitch)
define void @rows(ptr %p, i64 %step, i64 %n, i64 %rows, i64 %pitch) {
  call void @redflag.rows(ptr %p, i64 %step, i64 %n, i64 8, i32 1, i64 %rows, i64 %pitch)
  ret void
}

; CHECK-LABEL: @reads(
; CHECK-NEXT: call void @__redflag_read_rows(ptr %p, i64 64, i64 4, i64 8, i64 3, i64 8)
define void @reads(ptr %p) {
  call void @redflag.rows(ptr %p, i64 64, i64 4, i64 8, i32 0, i64 3, i64 8)
  ret void
}
