; A frame is of no use where nothing is checked any more and nothing is called.
; RUN: %opt -passes='redflag-instrument,redflag-local,redflag-lower' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare void @other()

; CHECK-LABEL: @idle(
; CHECK-NOT: @__redflag_hot
; CHECK-NOT: returnaddress
; CHECK: ret i32
define i32 @idle(i64 %i) sanitize_thread {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %x = load i32, ptr %p
  ret i32 %x
}

; CHECK-LABEL: @calls(
; CHECK: @__redflag_hot
; CHECK: ret i32
define i32 @calls(i64 %i) sanitize_thread {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %x = load i32, ptr %p
  call void @other()
  ret i32 %x
}

; CHECK-LABEL: @checks(
; CHECK: @__redflag_hot
; CHECK: ret i32
define i32 @checks(ptr %p) sanitize_thread {
  %x = load i32, ptr %p
  ret i32 %x
}
