; Checked on all ways to it: it goes. On one of them only: it stays.
; RUN: %opt -passes=redflag-dominated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @on_both(
; CHECK-COUNT-2: call void @redflag.check
; CHECK: end:
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @on_both(ptr %p, i1 %c) {
  br i1 %c, label %a, label %b
a:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  br label %end
b:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  br label %end
end:
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @on_one(
; CHECK: end:
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: ret void
define void @on_one(ptr %p, i1 %c) {
  br i1 %c, label %a, label %end
a:
  call void @redflag.check(ptr %p, i64 4, i32 1)
  br label %end
end:
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}

; A synchronisation on one of the ways.
; CHECK-LABEL: @ended_on_one(
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 1)
; CHECK: end:
; CHECK: call void @redflag.check(ptr %p, i64 4, i32 0)
; CHECK: ret void
define void @ended_on_one(ptr %p, i1 %c) {
  call void @redflag.check(ptr %p, i64 4, i32 1)
  br i1 %c, label %a, label %end
a:
  fence seq_cst
  br label %end
end:
  call void @redflag.check(ptr %p, i64 4, i32 0)
  ret void
}
