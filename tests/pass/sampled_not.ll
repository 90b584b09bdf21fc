; What has no checks stays as it is, and so does what cannot be copied: it checks always.
; RUN: %sampling -passes='redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare i32 @setjmp(ptr) returns_twice

; CHECK-LABEL: @nothing(
; CHECK-NEXT: store i32 1, ptr %p
; CHECK-NEXT: ret void
define void @nothing(ptr %p) sanitize_thread {
  store i32 1, ptr %p, align 4
  ret void
}

; CHECK-LABEL: @jumps(
; CHECK-NEXT: call i32 @setjmp(ptr %to)
; CHECK-NEXT: call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
; CHECK-NEXT: store i32 1, ptr %p
; CHECK-NEXT: ret void
define void @jumps(ptr %p, ptr %to) sanitize_thread {
  call i32 @setjmp(ptr %to) returns_twice
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  store i32 1, ptr %p, align 4
  ret void
}

; Copied, this name would be there twice; a numbered one may be.
; CHECK-LABEL: @names_a_place(
; CHECK-NEXT: call void @redflag.check
; CHECK-NEXT: call void asm
; CHECK-NEXT: ret void
define void @names_a_place(ptr %p) sanitize_thread {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  call void asm sideeffect "nop; my_place: nop", ""()
  ret void
}

; CHECK-LABEL: @has_a_number(
; CHECK: redflag.choice:
; CHECK: ret void
define void @has_a_number(ptr %p) sanitize_thread {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  call void asm sideeffect "1: nop\0A\09jmp 1b", ""()
  ret void
}

declare void @stays_alone() noduplicate

; CHECK-LABEL: @not_to_be_copied(
; CHECK-NEXT: call void @redflag.check
; CHECK-NEXT: call void @stays_alone
; CHECK-NEXT: ret void
define void @not_to_be_copied(ptr %p) sanitize_thread {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  call void @stays_alone() noduplicate
  ret void
}
