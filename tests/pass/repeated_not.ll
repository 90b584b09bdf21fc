; No guard: where nothing synchronises, where the address changes, of volatile accesses; a read and a write of the same
; bytes have one each.
; RUN: %opt -passes=redflag-repeated %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @unknown()

; CHECK-LABEL: @quiet(
; CHECK-NOT: __redflag_hot
; CHECK: ret void
define void @quiet(ptr %p, ptr %more_at) {
entry:
  br label %loop
loop:
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @other_address(
; CHECK-NOT: __redflag_hot
; CHECK: ret void
define void @other_address(ptr %p, ptr %more_at) {
entry:
  br label %loop
loop:
  call void @unknown()
  %q = load volatile ptr, ptr %p
  call void @redflag.check(ptr align 4 %q, i64 4, i32 1)
  call void @redflag.check(ptr align 4 %p, i64 4, i32 3)
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @two_kinds(
; CHECK: %[[first:.*]] = phi i64 [ -1, %entry ]
; CHECK: %[[second:.*]] = phi i64 [ -1, %entry ]
; CHECK-COUNT-2: load ptr, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 24)
; CHECK: ret void
define void @two_kinds(ptr %p, ptr %more_at) {
entry:
  br label %loop
loop:
  call void @redflag.check(ptr align 4 %p, i64 4, i32 0)
  call void @unknown()
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %loop, label %end
end:
  ret void
}

; An address that the outer loop computes is forgotten there.
; CHECK-LABEL: @computed(
; CHECK: {{^}}outer:
; CHECK: %q = load volatile ptr
; CHECK: {{^}}inner:
; CHECK: phi i64 [ -1, %outer ]
; CHECK: ret void
define void @computed(ptr %p, ptr %more_at) {
entry:
  br label %outer
outer:
  %q = load volatile ptr, ptr %p
  br label %inner
inner:
  call void @unknown()
  call void @redflag.check(ptr align 4 %q, i64 4, i32 1)
  %more = load volatile i1, ptr %more_at
  br i1 %more, label %inner, label %latch
latch:
  %again = load volatile i1, ptr %more_at
  br i1 %again, label %outer, label %end
end:
  ret void
}
