; The passes run on one function after the other: that the first one's checks are code already does not keep the second
; from knowing that the global is only read; and one that is written keeps its checks in both.
; RUN: %opt -passes='function(redflag-instrument,redflag-local,redflag-lower)' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@only_read = internal global [4 x i32] zeroinitializer
@written = internal global i32 0

; CHECK-LABEL: @first(
; CHECK-NOT: @__redflag_{{(check_)?}}read
; CHECK: load i32, ptr %p
; CHECK: call {{.*}}void @__redflag_check_read4(ptr @written)
; CHECK: ret i32
define i32 @first(i64 %i) sanitize_thread {
  %p = getelementptr [4 x i32], ptr @only_read, i64 0, i64 %i
  %x = load i32, ptr %p
  %y = load i32, ptr @written
  %z = add i32 %x, %y
  ret i32 %z
}

; CHECK-LABEL: @second(
; CHECK-NOT: @__redflag_{{(check_)?}}read
; CHECK: load i32, ptr %p
; CHECK: call {{.*}}void @__redflag_check_write4(ptr @written)
; CHECK: ret i32
define i32 @second(i64 %i) sanitize_thread {
  %p = getelementptr [4 x i32], ptr @only_read, i64 0, i64 %i
  %x = load i32, ptr %p
  store i32 %x, ptr @written
  ret i32 %x
}
