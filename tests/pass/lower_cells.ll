; How many granules of eight bytes are compared in line: as many as the bytes may lie in, by size and alignment.
; RUN: %opt -passes=redflag-lower %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @byte(
; CHECK-COUNT-1: load i64, ptr {{.*}}, align 8
; CHECK-NOT: load i64
; CHECK: call preserve_mostcc void @__redflag_write1(ptr %p)
; CHECK-NOT: load i64
; CHECK: ret void
define void @byte(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 1 %p, i64 1, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Two bytes at an odd address: two granules.
; CHECK-LABEL: @unaligned_two(
; CHECK-COUNT-2: load i64, ptr {{.*}}, align 8
; CHECK-NOT: load i64
; CHECK: call preserve_mostcc void @__redflag_write2(ptr %p)
; CHECK-NOT: load i64
; CHECK: ret void
define void @unaligned_two(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 1 %p, i64 2, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @aligned_eight(
; CHECK-COUNT-1: load i64, ptr {{.*}}, align 8
; CHECK-NOT: load i64
; CHECK: call preserve_mostcc void @__redflag_write8(ptr %p)
; CHECK-NOT: load i64
; CHECK: ret void
define void @aligned_eight(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 8 %p, i64 8, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @eight_at_four(
; CHECK-COUNT-2: load i64, ptr {{.*}}, align 8
; CHECK-NOT: load i64
; CHECK: call preserve_mostcc void @__redflag_write8(ptr %p)
; CHECK-NOT: load i64
; CHECK: ret void
define void @eight_at_four(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 4 %p, i64 8, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Three: the most that is compared in line.
; CHECK-LABEL: @sixteen_anywhere(
; CHECK-COUNT-3: load i64, ptr {{.*}}, align 8
; CHECK-NOT: load i64
; CHECK: call preserve_mostcc void @__redflag_write16(ptr %p)
; CHECK-NOT: load i64
; CHECK: ret void
define void @sixteen_anywhere(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 1 %p, i64 16, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @twenty_four(
; CHECK-COUNT-3: load i64, ptr {{.*}}, align 8
; CHECK-NOT: load i64
; CHECK: call preserve_mostcc void @__redflag_write_n(ptr %p, i64 24)
; CHECK-NOT: load i64
; CHECK: ret void
define void @twenty_four(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 16 %p, i64 24, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; CHECK-LABEL: @forty(
; CHECK: {{^}}loop:
; CHECK-NEXT: call preserve_mostcc void @__redflag_write_n(ptr %p, i64 40)
; CHECK-NEXT: br i1
define void @forty(ptr %p, i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 16 %p, i64 40, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What is known of the address counts, too.
@aligned = global [8 x i64] zeroinitializer, align 64
; CHECK-LABEL: @known_alignment(
; CHECK-COUNT-1: load i64, ptr {{.*}}, align 8
; CHECK-NOT: load i64
; CHECK: call preserve_mostcc void @__redflag_write8(ptr @aligned)
; CHECK-NOT: load i64
; CHECK: ret void
define void @known_alignment(i1 %more) {
  br label %loop
loop:
  call void @redflag.check(ptr align 1 @aligned, i64 8, i32 1)
  br i1 %more, label %loop, label %end
end:
  ret void
}
