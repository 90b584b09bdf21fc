; a[i], ..., a[i + 3] of an unrolled loop are one check of 16 bytes: the closed form knows them as neighbours.
; RUN: %opt -passes=redflag-merge %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @unrolled(
; CHECK: call void @redflag.check(ptr align 4 %a0, i64 16, i32 0)
; CHECK-NOT: call void @redflag.check
; CHECK: ret void
define void @unrolled(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %i1 = or disjoint i64 %i, 1
  %i2 = add nuw nsw i64 %i, 2
  %i3 = add nuw nsw i64 %i, 3
  %a0 = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %a0, i64 4, i32 0)
  %a1 = getelementptr inbounds i32, ptr %a, i64 %i1
  call void @redflag.check(ptr align 4 %a1, i64 4, i32 0)
  %a2 = getelementptr inbounds i32, ptr %a, i64 %i2
  call void @redflag.check(ptr align 4 %a2, i64 4, i32 0)
  %a3 = getelementptr inbounds i32, ptr %a, i64 %i3
  call void @redflag.check(ptr align 4 %a3, i64 4, i32 0)
  %next = add nuw nsw i64 %i, 4
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Of two dimensions, or of a struct: what is left of the address must be the same.
; CHECK-LABEL: @other_rest(
; CHECK: call void @redflag.check(ptr align 4 %x, i64 8, i32 0)
; CHECK: call void @redflag.check(ptr align 4 %z, i64 4, i32 0)
; CHECK: ret void
define void @other_rest(ptr %a, i64 %i, i64 %j) {
  %x = getelementptr [8 x i32], ptr %a, i64 %i, i64 2
  call void @redflag.check(ptr align 4 %x, i64 4, i32 0)
  %y = getelementptr [8 x i32], ptr %a, i64 %i, i64 3
  call void @redflag.check(ptr align 4 %y, i64 4, i32 0)
  %z = getelementptr [8 x i32], ptr %a, i64 %j, i64 4
  call void @redflag.check(ptr align 4 %z, i64 4, i32 0)
  ret void
}
