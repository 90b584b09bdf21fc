; A global of this module that is only read here is written by nobody.
; RUN: %opt -passes=redflag-local %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr nocapture readnone, i64, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
@only_read = internal global [4 x i32] zeroinitializer
@copied = internal global [4 x i32] zeroinitializer

; CHECK-LABEL: @reads(
; CHECK-NOT: call void @redflag.check
; CHECK: ret i32
define i32 @reads(i64 %i, ptr %to) {
  %p = getelementptr [4 x i32], ptr @only_read, i64 0, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %x = load i32, ptr %p
  call void @redflag.check(ptr align 4 getelementptr (i8, ptr @only_read, i64 8), i64 4, i32 0)
  %y = load volatile i32, ptr getelementptr (i8, ptr @only_read, i64 8)
  call void @redflag.check(ptr align 4 @copied, i64 16, i32 0)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr @copied, i64 16, i1 false)
  ret i32 %x
}
