; A function that accesses memory or calls gets a frame: its caller, put on the thread's stack of frames unless that is
; full, and taken away before each return. A leaf that does neither gets none.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @other()

; CHECK-LABEL: @frame(
; CHECK: %caller = call ptr @llvm.returnaddress(i32 0)
; CHECK: %frame = load ptr, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK: store ptr %caller, ptr %frame
; CHECK: %[[node:.*]] = getelementptr inbounds i8, ptr %frame, i64 8
; CHECK: store i32 0, ptr %[[node]]
; CHECK: %[[limit:.*]] = load ptr, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 16)
; CHECK: %[[next:.*]] = getelementptr inbounds i8, ptr %frame, i64 16
; CHECK: %[[full:.*]] = icmp eq ptr %frame, %[[limit]]
; CHECK: %top = select i1 %[[full]], ptr %frame, ptr %[[next]]
; CHECK: store ptr %top, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK: call void @other
; CHECK: store ptr %{{.*}}, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK-NEXT: ret i32 1
; CHECK: store ptr %{{.*}}, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK-NEXT: ret i32 2
define i32 @frame(i1 %c) sanitize_thread {
  call void @other()
  br i1 %c, label %a, label %b
a:
  ret i32 1
b:
  ret i32 2
}

; CHECK-LABEL: @leaf(
; CHECK-NEXT: add
; CHECK-NEXT: ret
define i32 @leaf(i32 %x) sanitize_thread {
  %y = add i32 %x, 1
  ret i32 %y
}
