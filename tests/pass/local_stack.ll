; A stack object whose address goes nowhere has one thread; one whose address is stored, returned or handed over has not.
; RUN: %opt -passes=redflag-local %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr nocapture readnone, i64, i32)
declare void @keeps(ptr)
declare void @keeps_not(ptr nocapture)
@where = global ptr null

; CHECK-LABEL: @stays(
; CHECK-NOT: call void @redflag.check
; CHECK: ret i32
define i32 @stays(i64 %i) {
  %a = alloca [4 x i32]
  %p = getelementptr [4 x i32], ptr %a, i64 0, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  store i32 1, ptr %p
  call void @keeps_not(ptr %a)
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  %x = load i32, ptr %p
  ret i32 %x
}

; CHECK-LABEL: @stored(
; CHECK: call void @redflag.check
define void @stored() {
  %a = alloca i32
  call void @redflag.check(ptr align 4 %a, i64 4, i32 1)
  store i32 1, ptr %a
  store ptr %a, ptr @where
  ret void
}

; CHECK-LABEL: @handed_over(
; CHECK: call void @redflag.check
define void @handed_over() {
  %a = alloca i32
  call void @redflag.check(ptr align 4 %a, i64 4, i32 1)
  store i32 1, ptr %a
  call void @keeps(ptr %a)
  ret void
}

; CHECK-LABEL: @returned(
; CHECK: call void @redflag.check
define ptr @returned() {
  %a = alloca i32
  call void @redflag.check(ptr align 4 %a, i64 4, i32 1)
  store i32 1, ptr %a
  ret ptr %a
}

; One of two objects: not known which.
; CHECK-LABEL: @one_of_two(
; CHECK: call void @redflag.check
define void @one_of_two(ptr %other, i1 %c) {
  %a = alloca i32
  %p = select i1 %c, ptr %a, ptr %other
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  store i32 1, ptr %p
  ret void
}
