; A loop that begins with a landing pad has no place for a test of its iterations: it stays in one copy.
; RUN: %sampling -passes='redflag-sampled' %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @redflag.check(ptr, i64, i32)
declare void @throws()
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: @again(
; CHECK: landingpad
; CHECK: ret void
define void @again(ptr %p) sanitize_thread personality ptr @__gxx_personality_v0 {
entry:
  invoke void @throws() to label %end unwind label %pad
pad:
  %what = landingpad { ptr, i32 } catch ptr null
  call void @redflag.check(ptr align 4 %p, i64 4, i32 1)
  invoke void @throws() to label %end unwind label %pad
end:
  ret void
}
