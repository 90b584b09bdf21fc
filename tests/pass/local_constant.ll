; Constant globals are never written; others may be, by whoever can name them.
; RUN: %opt -passes=redflag-local %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr nocapture readnone, i64, i32)
@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@elsewhere = external constant i32
@variable = global i32 0

; CHECK-LABEL: @reads(
; CHECK-NOT: call void @redflag.check(ptr {{.*}}@table
; CHECK-NOT: call void @redflag.check(ptr {{.*}}@elsewhere
; CHECK: call void @redflag.check(ptr align 4 @variable, i64 4, i32 0)
; CHECK: ret void
define void @reads(i64 %i) {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @elsewhere, i64 4, i32 0)
  call void @redflag.check(ptr align 4 @variable, i64 4, i32 0)
  ret void
}
