; Behind this loop is no place for a check: a block of Windows' exceptions, which is nothing but a way on.
; RUN: %opt -passes=redflag-loops %s | %check
target datalayout = "e-m:w-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-windows-msvc"

declare void @redflag.check(ptr, i64, i32)
declare void @quiet() nosync nofree nounwind willreturn
declare i32 @__CxxFrameHandler3(...)

; CHECK-LABEL: @loop(
; CHECK: loop:
; CHECK: call void @redflag.check(ptr align 4 %p
; CHECK: ret void
define void @loop(ptr %a, ptr %n) personality ptr @__CxxFrameHandler3 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  invoke void @quiet() to label %on unwind label %dispatch
on:
  %next = add nuw nsw i64 %i, 1
  %x = load i64, ptr %n
  %more = icmp ne i64 %x, %i
  br i1 %more, label %loop, label %end
dispatch:
  %switch = catchswitch within none [label %handler] unwind to caller
handler:
  %pad = catchpad within %switch [ptr null, i32 64, ptr null]
  catchret from %pad to label %end
end:
  ret void
}
