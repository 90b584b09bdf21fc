; A program's own malloc may take a lock; the library's orders nothing.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @lock()
declare ptr @calloc(i64, i64)

define ptr @malloc(i64 %n) {
  call void @lock()
  ret ptr null
}

; CHECK-LABEL: @own(
; CHECK: call void @redflag.check(ptr %p
; CHECK: call ptr @malloc
; CHECK: call void @redflag.check(ptr %p
define ptr @own(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  %q = call ptr @malloc(i64 8)
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret ptr %q
}

; CHECK-LABEL: @librarys(
; CHECK-COUNT-1: call void @redflag.check(ptr %p
; CHECK-NOT: call void @redflag.check
; CHECK: ret ptr
define ptr @librarys(ptr %p) {
  call void @redflag.check(ptr %p, i64 4, i32 0)
  %q = call ptr @calloc(i64 8, i64 8)
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret ptr %q
}
