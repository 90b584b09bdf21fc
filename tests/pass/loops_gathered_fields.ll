; Two fields of an element whose base is loaded anew: one walk, and a range for each field. Where the loop may be left
; between the two, each is a walk of its own.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @fields(
; CHECK: loop:
; CHECK: %redflag.first = phi ptr
; CHECK-NOT: %redflag.first{{[0-9]+}} = phi
; CHECK: %[[second:.*]] = getelementptr i8, ptr %redflag.first, i64 16
; CHECK: call void @redflag.range(ptr %redflag.first, i64 32, i64 %[[ended:.*]], i64 8, i32 0), !redflag.rare
; CHECK: call void @redflag.range(ptr %[[second]], i64 32, i64 %[[ended]], i64 4, i32 1), !redflag.rare
; CHECK: end:
; CHECK: %[[other:.*]] = getelementptr i8, ptr %[[from:.*]], i64 16
; CHECK: call void @redflag.range(ptr %[[from]], i64 32, i64 %[[all:.*]], i64 8, i32 0)
; CHECK: call void @redflag.range(ptr %[[other]], i64 32, i64 %[[all]], i64 4, i32 1)
define void @fields(ptr %base, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = load ptr, ptr %base
  %p = getelementptr inbounds { i64, i64, i32, i32, i64 }, ptr %a, i64 %i
  call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
  %x = load i64, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 16
  call void @redflag.check(ptr align 8 %q, i64 4, i32 1)
  store i32 0, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @apart(
; CHECK: loop:
; CHECK-DAG: %redflag.first = phi ptr
; CHECK-DAG: %redflag.first{{[0-9]+}} = phi ptr
; CHECK: ret void
define void @apart(ptr %base, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %rest ]
  %a = load ptr, ptr %base
  %p = getelementptr inbounds { i64, i64, i32, i32, i64 }, ptr %a, i64 %i
  call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
  %x = load i64, ptr %p
  %found = icmp eq i64 %x, 0
  br i1 %found, label %end, label %rest
rest:
  %q = getelementptr inbounds i8, ptr %p, i64 16
  call void @redflag.check(ptr align 8 %q, i64 4, i32 1)
  store i32 0, ptr %q
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
