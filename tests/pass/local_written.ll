; What is written anywhere in the module, or whose address goes anywhere, keeps its checks; so does what others can name.
; RUN: %opt -passes=redflag-local %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr nocapture readnone, i64, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @takes(ptr)
@written = internal global i32 0
@through_offset = internal global [4 x i32] zeroinitializer
@copied_to = internal global [4 x i32] zeroinitializer
@handed_over = internal global i32 0
@in_initializer = internal global i32 0
@points_to_it = global ptr @in_initializer
@as_number = internal global i32 0
@chosen = internal global i32 0
@visible = global i32 0
@swapped = internal global i32 0

; CHECK-LABEL: @reads(
; CHECK: call void @redflag.check(ptr align 4 @written
; CHECK: call void @redflag.check(ptr align 4 @through_offset
; CHECK: call void @redflag.check(ptr align 4 @copied_to
; CHECK: call void @redflag.check(ptr align 4 @handed_over
; CHECK: call void @redflag.check(ptr align 4 @in_initializer
; CHECK: call void @redflag.check(ptr align 4 @as_number
; CHECK: call void @redflag.check(ptr align 4 @chosen
; CHECK: call void @redflag.check(ptr align 4 @visible
; CHECK: call void @redflag.check(ptr align 4 @swapped
; CHECK: ret void
define void @reads() {
  call void @redflag.check(ptr align 4 @written, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @through_offset, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @copied_to, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @handed_over, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @in_initializer, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @as_number, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @chosen, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @visible, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @swapped, i64 4, i32 0)
  ret void
}

define ptr @writes(i64 %i, ptr %from, ptr %p, i1 %c) {
  store i32 1, ptr @written
  %q = getelementptr [4 x i32], ptr @through_offset, i64 0, i64 %i
  store i32 1, ptr %q
  call void @llvm.memcpy.p0.p0.i64(ptr @copied_to, ptr %from, i64 16, i1 false)
  call void @takes(ptr @handed_over)
  store i64 ptrtoint (ptr @as_number to i64), ptr %p
  %r = select i1 %c, ptr @chosen, ptr %p
  %old = atomicrmw xchg ptr @swapped, i32 1 monotonic
  ret ptr %r
}
