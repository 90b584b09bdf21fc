; Ranges: bytes side by side as one, others with their step; none at all where the count is 0.
; RUN: %opt -passes=redflag-lower %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.range(ptr, i64, i64, i64, i32)

; CHECK-LABEL: @dense(
; CHECK: %[[some:.*]] = icmp ne i64 %n, 0
; CHECK: br i1 %[[some]]
; CHECK: %[[bytes:.*]] = mul i64 %n, 4
; CHECK: call void @__redflag_write_range(ptr %p, i64 %[[bytes]])
define void @dense(ptr %p, i64 %n) {
  call void @redflag.range(ptr %p, i64 4, i64 %n, i64 4, i32 1)
  ret void
}

; CHECK-LABEL: @strided(
; CHECK: call void @__redflag_read_strided(ptr %p, i64 12, i64 %n, i64 4)
define void @strided(ptr %p, i64 %n) {
  call void @redflag.range(ptr %p, i64 12, i64 %n, i64 4, i32 0)
  ret void
}

; Backwards is strided, too: it starts at the other end.
; CHECK-LABEL: @backwards(
; CHECK: call void @__redflag_read_strided(ptr %p, i64 -4, i64 %n, i64 4)
define void @backwards(ptr %p, i64 %n) {
  call void @redflag.range(ptr %p, i64 -4, i64 %n, i64 4, i32 0)
  ret void
}

; CHECK-LABEL: @known_count(
; CHECK-NEXT: call void @__redflag_read_range(ptr %p, i64 400)
; CHECK-NEXT: ret void
define void @known_count(ptr %p) {
  call void @redflag.range(ptr %p, i64 4, i64 100, i64 4, i32 0)
  ret void
}

; A vector and its neighbours, a step of less than their size: side by side, too.
; CHECK-LABEL: @overlapping(
; CHECK: %[[steps:.*]] = mul i64 %n, 16
; CHECK: %[[bytes:.*]] = add i64 %[[steps]], 16
; CHECK: call void @__redflag_read_range(ptr %p, i64 %[[bytes]])
define void @overlapping(ptr %p, i64 %n) {
  call void @redflag.range(ptr %p, i64 16, i64 %n, i64 32, i32 0)
  ret void
}

; Several that are as many: one look whether there are any.
; CHECK-LABEL: @as_many(
; CHECK: icmp ne i64 %n, 0
; CHECK: call void @__redflag_read_strided(ptr %p, i64 12, i64 %n, i64 4)
; CHECK-NEXT: call void @__redflag_read_strided(ptr %q, i64 12, i64 %n, i64 8)
; CHECK-NEXT: br label
; CHECK-NOT: icmp
; CHECK: ret void
define void @as_many(ptr %p, ptr %q, i64 %n) {
  call void @redflag.range(ptr %p, i64 12, i64 %n, i64 4, i32 0)
  call void @redflag.range(ptr %q, i64 12, i64 %n, i64 8, i32 0)
  ret void
}

declare void @redflag.check(ptr, i64, i32)
declare void @lock()

; As many as a range before the lock, but not directly behind that: it is looked at where it stands.
; CHECK-LABEL: @protected(
; CHECK: call void @__redflag_read_range(ptr %p, i64 %{{.*}})
; CHECK-NEXT: br label
; CHECK: call void @lock()
; CHECK: call preserve_mostcc void @__redflag_check_read8(ptr %r)
; CHECK: icmp ne i64 %n, 0
; CHECK: call void @__redflag_write_range(ptr %q, i64 %{{.*}})
; CHECK: ret void
define void @protected(ptr %p, ptr %q, ptr %r, i64 %n) {
  call void @redflag.range(ptr %p, i64 4, i64 %n, i64 4, i32 0)
  call void @lock()
  call void @redflag.check(ptr align 8 %r, i64 8, i32 0)
  call void @redflag.range(ptr %q, i64 4, i64 %n, i64 4, i32 1)
  ret void
}

; The range before is not on every way, and what this one starts with is computed behind it.
; CHECK-LABEL: @on_one_way(
; CHECK: one:
; CHECK: call void @__redflag_read_range(ptr %p, i64 %{{.*}})
; CHECK: two:
; CHECK-NEXT: %q = load ptr, ptr %where
; CHECK: icmp ne i64 %n, 0
; CHECK: call void @__redflag_write_range(ptr %q, i64 %{{.*}})
; CHECK: ret void
define void @on_one_way(ptr %p, ptr %where, i64 %n, i1 %first) {
  br i1 %first, label %one, label %two
one:
  call void @redflag.range(ptr %p, i64 4, i64 %n, i64 4, i32 0)
  br label %two
two:
  %q = load ptr, ptr %where
  call void @redflag.check(ptr align 8 %where, i64 8, i32 0)
  call void @redflag.range(ptr %q, i64 4, i64 %n, i64 4, i32 1)
  ret void
}

; A check between two ranges ends the row, too: what comes behind it stays behind it.
; CHECK-LABEL: @between(
; CHECK: call void @__redflag_read_range(ptr %p, i64 %{{.*}})
; CHECK: call preserve_mostcc void @__redflag_check_read8(ptr %r)
; CHECK: call void @__redflag_write_range(ptr %q, i64 %{{.*}})
; CHECK: ret void
define void @between(ptr %p, ptr %q, ptr %r, i64 %n) {
  call void @redflag.range(ptr %p, i64 4, i64 %n, i64 4, i32 0)
  call void @redflag.check(ptr align 8 %r, i64 8, i32 0)
  call void @redflag.range(ptr %q, i64 4, i64 %n, i64 4, i32 1)
  ret void
}
