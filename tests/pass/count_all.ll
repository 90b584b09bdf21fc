; With --count-instructions every access is checked by itself, where it is, as often as it is made; and the counters are
; no accesses of the program's.
; RUN: %counting -passes=redflag %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @twice(
; CHECK-NOT: __redflag_check
; CHECK: add i64 %{{.*}}, 1
; CHECK-NOT: call
; CHECK: call {{.*}}@__redflag_check_read4(ptr %p)
; CHECK-NEXT: %a = load
; CHECK: add i64 %{{.*}}, 1
; CHECK: call {{.*}}@__redflag_check_read4(ptr %p)
; CHECK-NEXT: %b = load
; CHECK: add i64 %{{.*}}, 2
; CHECK: call {{.*}}@__redflag_check_write4(ptr %p)
; CHECK-NEXT: store
; CHECK: add i64 %{{.*}}, 1
; CHECK: ret void
define void @twice(ptr %p) sanitize_thread {
  %a = load i32, ptr %p
  %b = load i32, ptr %p
  %c = add i32 %a, %b
  store i32 %c, ptr %p
  ret void
}

; A loop's accesses are no range.
; CHECK-LABEL: @loop(
; CHECK: loop:
; CHECK: call {{.*}}@__redflag_check_write4
; CHECK-NOT: _range
define void @loop(ptr %p) sanitize_thread {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %at
  %next = add i64 %i, 1
  %again = icmp ne i64 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

; Lanes that nobody uses are loaded all the same; what is on the stack is in memory.
; CHECK-LABEL: @lanes(
; CHECK: call {{.*}}@__redflag_check_read16(ptr %p)
; CHECK: call {{.*}}@__redflag_check_write4(ptr %own)
define void @lanes(ptr %p) sanitize_thread {
  %own = alloca i32
  %v = load <4 x i32>, ptr %p
  %x = extractelement <4 x i32> %v, i32 2
  store i32 %x, ptr %own
  ret void
}
