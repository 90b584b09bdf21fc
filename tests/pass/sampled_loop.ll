; An innermost loop's iterations are sampled one by one, but once one is not, what is left of the loop runs as it is: its
; copy without checks has no test. Behind it the code goes on where it was.
; RUN: %sampling -passes='redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @loop(
; CHECK: call preserve_mostcc void @__redflag_sample(ptr %{{.*}}, ptr null, i32 1)
; CHECK: {{^}}next.unchecked:
; CHECK-NOT: __redflag_sample
; CHECK: br i1 %{{.*}}, label %next.unchecked, label %{{.*}}
; CHECK: {{^}}}
define void @loop(ptr %first) sanitize_thread {
entry:
  br label %next
next:
  %p = phi ptr [ %first, %entry ], [ %q, %next ]
  call void @redflag.check(ptr align 8 %p, i64 8, i32 0)
  %q = load ptr, ptr %p, align 8
  %more = icmp ne ptr %q, null
  br i1 %more, label %next, label %end
end:
  ret void
}
