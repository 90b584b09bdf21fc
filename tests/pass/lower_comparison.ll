; The comparison: the granule's cell is at a constant distance. Another epoch than the thread's own, or bytes that the
; entry has not, goes to the call; for a read the last read will do as well as the last write.
; RUN: %opt -passes=redflag-lower %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK: @__redflag_hot = external thread_local(initialexec) global i64

; CHECK-LABEL: @write(
; CHECK: %[[at:.*]] = ptrtoint ptr %p to i64
; CHECK: %[[me:.*]] = load i32, ptr @__redflag_hot
; CHECK: %[[low:.*]] = and i64 %[[at]], 7
; CHECK: xor i64 %{{.*}}, 105553116266496
; CHECK: %[[cell:.*]] = load i64, ptr %{{.*}}, align 8
; CHECK: shl i64 15, %[[low]]
; CHECK: %[[wanted:.*]] = or i32 %{{.*}}, 2147483392
; CHECK: %[[entry:.*]] = trunc i64 %[[cell]] to i32
; CHECK: %[[apart:.*]] = xor i32 %[[entry]], %[[me]]
; CHECK: %[[differs:.*]] = and i32 %[[apart]], %[[wanted]]
; CHECK: %[[unknown:.*]] = icmp ne i32 %[[differs]], 0
; CHECK-NEXT: br i1 %[[unknown]], label %[[cold:.*]], label %{{.*}}, !prof
; CHECK: [[cold]]:
; CHECK-NEXT: call preserve_mostcc void @__redflag_write4(ptr %p)
define void @write(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @read(
; CHECK: %[[cell:.*]] = load i64, ptr %{{.*}}, align 8
; CHECK: %[[wanted:.*]] = or i32 %{{.*}}, 2147483392
; CHECK: %[[by_write:.*]] = icmp ne i32
; CHECK: lshr i64 %[[cell]], 32
; CHECK: or i32 %[[wanted]], -2147483648
; CHECK: %[[by_read:.*]] = icmp ne i32
; CHECK: %[[unknown:.*]] = and i1 %[[by_write]], %[[by_read]]
; CHECK-NEXT: br i1 %[[unknown]]
; CHECK: call preserve_mostcc void @__redflag_read4(ptr %p)
define void @read(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Whole granules are compared with all bytes, and of two each must be known.
; CHECK-LABEL: @read_two(
; CHECK-NOT: shl
; CHECK: and i32 %{{.*}}, 2147483647
; CHECK: add i64 %{{.*}}, 8
; CHECK: and i32 %{{.*}}, 2147483647
; CHECK: %[[unknown:.*]] = or i1
; CHECK-NEXT: br i1 %[[unknown]]
; CHECK: call preserve_mostcc void @__redflag_read16(ptr %p)
define void @read_two(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 8 %p, i64 16, i32 0)
  br i1 %more, label %loop, label %end
end:
  ret void
}
