; A call that is sampled starts the count-downs of its outer loops again, an iteration that is sampled those of the loops in
; it: unless they have not begun (0), or are always sampled (-1).
; RUN: %sampling -passes='redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @nest(
; CHECK: {{^}}redflag.begin:
; CHECK: [[OUTER:%slot[0-9]*]] = getelementptr i32, ptr %{{.*}}, i64 {{[0-9]+}}
; CHECK: [[LEFT:%.*]] = load i32, ptr [[OUTER]]
; CHECK: [[BEGUN:%.*]] = icmp sgt i32 [[LEFT]], 1
; CHECK: [[AGAIN:%.*]] = select i1 [[BEGUN]], i32 1, i32 [[LEFT]]
; CHECK: store i32 [[AGAIN]], ptr [[OUTER]]
; CHECK-NOT: select
; CHECK: {{^}}redflag.chosen{{.*}}:
; CHECK: select i1 %{{.*}}, i32 1, i32
; CHECK-NOT: select
; CHECK: {{^}}}
define void @nest(ptr %first, i64 %n) sanitize_thread {
entry:
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %i.next, %row.end ]
  %p = getelementptr i64, ptr %first, i64 %i
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  store i64 %i, ptr %p, align 8
  br label %cell
cell:
  %j = phi i64 [ 0, %row ], [ %j.next, %cell ]
  %index = mul i64 %i, %j
  %q = getelementptr i64, ptr %first, i64 %index
  call void @redflag.check(ptr align 8 %q, i64 8, i32 1)
  store i64 %j, ptr %q, align 8
  %j.next = add i64 %j, 1
  %in.row = icmp ult i64 %j.next, %n
  br i1 %in.row, label %cell, label %row.end
row.end:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %row, label %end
end:
  ret void
}
