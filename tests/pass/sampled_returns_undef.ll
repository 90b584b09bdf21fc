; Functions whose result nobody looks at return undef, though they are said not to: they still return.
; RUN: %sampling -passes='redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)

; CHECK-LABEL: @task(
; CHECK: %[[zero:.*]] = phi i32 [ 0, %{{.*}} ], [ 0, %redflag.start.unsampled ]
; CHECK-NEXT: ret i32 %[[zero]]
; CHECK-NOT: unreachable
; CHECK: {{^}}}
define noundef i32 @task(ptr %p) sanitize_thread {
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  store i32 1, ptr %p, align 4
  ret i32 undef
}
