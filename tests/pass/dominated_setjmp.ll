; What comes back twice may do so at any later time: what was checked before it is checked again.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare i32 @setjmp(ptr) returns_twice
declare i32 @quiet_setjmp(ptr) returns_twice nosync nofree nounwind willreturn
declare i32 @llvm.eh.sjlj.setjmp(ptr)

; CHECK-LABEL: @library(
; CHECK: call void @redflag.check(ptr %p
; CHECK: call i32 @setjmp
; CHECK: call void @redflag.check(ptr %p
define void @library(ptr %p, ptr %to) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call i32 @setjmp(ptr %to) returns_twice
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @known_to_be_quiet(
; CHECK: call void @redflag.check(ptr %p
; CHECK: call i32 @quiet_setjmp
; CHECK: call void @redflag.check(ptr %p
define void @known_to_be_quiet(ptr %p, ptr %to) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call i32 @quiet_setjmp(ptr %to) returns_twice
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @built_in(
; CHECK: call void @redflag.check(ptr %p
; CHECK: call i32 @llvm.eh.sjlj.setjmp
; CHECK: call void @redflag.check(ptr %p
define void @built_in(ptr %p, ptr %to) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  call i32 @llvm.eh.sjlj.setjmp(ptr %to)
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}
