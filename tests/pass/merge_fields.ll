; Neighbouring fields are checked together, where the first of them was, from the lowest address on.
; RUN: %opt -passes=redflag-merge %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @fields(
; CHECK: call void @redflag.check(ptr align 4 %p, i64 12, i32 0)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @fields(ptr %p) {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %y = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr align 4 %y, i64 4, i32 0)
  %z = getelementptr i8, ptr %p, i64 8
  call void @redflag.check(ptr align 4 %z, i64 4, i32 0)
  ret void
}

; In any order; the alignment is that of the lowest.
; CHECK-LABEL: @backwards(
; CHECK: %[[low:.*]] = getelementptr i8, ptr %y, i64 -8
; CHECK: call void @redflag.check(ptr align 8 %[[low]], i64 16, i32 1)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @backwards(ptr %p) {
  %y = getelementptr i8, ptr %p, i64 8
  call void @redflag.check(ptr align 4 %y, i64 4, i32 1)
  %z = getelementptr i8, ptr %p, i64 12
  call void @redflag.check(ptr align 4 %z, i64 4, i32 1)
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  ret void
}

; Those that overlap, too.
; CHECK-LABEL: @overlapping(
; CHECK: call void @redflag.check(ptr align 4 %p, i64 12, i32 0)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @overlapping(ptr %p) {
  call void @redflag.check(ptr align 4 %p, i64 8, i32 0)
  %y = getelementptr i8, ptr %p, i64 4
  call void @redflag.check(ptr align 4 %y, i64 8, i32 0)
  ret void
}
