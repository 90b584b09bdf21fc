; The comparison: no shadow yet, or another handle than the thread's own, goes to the call; for a read any of the
; thread's own will do.
; RUN: %opt -passes=redflag-lower %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK: @__redflag_directory = external constant ptr
; CHECK: @__redflag_hot = external thread_local(initialexec) global i64

; CHECK-LABEL: @write(
; CHECK-DAG: %[[directory:.*]] = load ptr, ptr @__redflag_directory, align 8, !invariant.load
; CHECK-DAG: %[[region:.*]] = lshr i64 %{{.*}}, 26
; CHECK: %[[slot:.*]] = getelementptr ptr, ptr %[[directory]], i64 %[[region]]
; CHECK: %[[cells:.*]] = load ptr, ptr %[[slot]]
; CHECK: %[[none:.*]] = icmp eq ptr %[[cells]], null
; CHECK: br i1 %[[none]], label %[[cold:.*]], label %{{.*}}, !prof
; CHECK: [[cold]]:
; CHECK-NEXT: call preserve_mostcc void @__redflag_write4(ptr %p)
; CHECK: %[[base:.*]] = load i32, ptr @__redflag_hot
; CHECK: %[[handle:.*]] = load i32, ptr %{{.*}}
; CHECK: %[[apart:.*]] = xor i32 %[[handle]], %[[base]]
; CHECK: %[[unknown:.*]] = icmp ne i32 %[[apart]], 0
; CHECK: br i1 %[[unknown]], label %[[cold]], label %{{.*}}, !prof
define void @write(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @read(
; CHECK: call preserve_mostcc void @__redflag_read4(ptr %p)
; CHECK: %[[apart:.*]] = sub i32
; CHECK: %[[room:.*]] = load i32, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 4)
; CHECK: icmp uge i32 %[[apart]], %[[room]]
define void @read(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Of two granules the one that is farther off.
; CHECK-LABEL: @read_two(
; CHECK: call i32 @llvm.umax.i32
; CHECK: icmp uge
define void @read_two(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 8 %p, i64 16, i32 0)
  br i1 %more, label %loop, label %end
end:
  ret void
}
