; A loop that calls something in each iteration asks at each, in the copy without checks too. One that does so now and
; then asks on the way to the call, and behind an iteration with it; else it goes on as it is.
; RUN: %sampling -passes='redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @unknown()

; CHECK-LABEL: @always(
; CHECK: {{^}}next.unchecked:
; CHECK: call void @unknown()
; CHECK: br i1 %{{.*}}, label %redflag.choice{{.*}}, label
; CHECK: {{^}}}
define void @always(ptr %first) sanitize_thread {
entry:
  br label %next
next:
  %p = phi ptr [ %first, %entry ], [ %q, %next ]
  call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
  %q = load ptr, ptr %p, align 8
  call void @unknown()
  %more = icmp ne ptr %q, null
  br i1 %more, label %next, label %end
end:
  ret void
}

; CHECK-LABEL: @rarely(
; CHECK: {{^}}next.unchecked:
; CHECK: br i1 %now.unchecked, label %redflag.choice{{.*}}, label %on.unchecked
; CHECK: {{^}}on.unchecked:
; CHECK: phi i1 [ true, %act.unchecked ]
; CHECK: br i1 %more.unchecked, label %redflag.called, label
; CHECK: {{^}}}
define void @rarely(ptr %first, ptr %special) sanitize_thread {
entry:
  br label %next
next:
  %p = phi ptr [ %first, %entry ], [ %q, %on ]
  call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
  %q = load ptr, ptr %p, align 8
  %now = icmp eq ptr %q, %special
  br i1 %now, label %act, label %on
act:
  call void @unknown()
  br label %on
on:
  %more = icmp ne ptr %q, null
  br i1 %more, label %next, label %end
end:
  ret void
}
