; Where an exception lands, frames above are gone: the top is put right at once. Resuming leaves the frame, as a return
; does; a call that must be the last thing takes its place.
; RUN: %opt -passes=redflag-instrument %s | %check
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @may_throw()
declare i32 @personality(...)
declare i32 @last(ptr)

; CHECK-LABEL: @lands(
; CHECK: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: store ptr %top, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK: store ptr %{{.*}}, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK-NEXT: resume
define void @lands() sanitize_thread personality ptr @personality {
  invoke void @may_throw() to label %end unwind label %pad
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
end:
  ret void
}

; CHECK-LABEL: @tail(
; CHECK: store i32 1, ptr %p
; CHECK: store ptr %{{.*}}, ptr getelementptr inbounds (i8, ptr @__redflag_hot, i64 8)
; CHECK-NEXT: %x = musttail call i32 @last(ptr %p)
; CHECK-NEXT: ret i32 %x
define i32 @tail(ptr %p) sanitize_thread {
  store i32 1, ptr %p
  %x = musttail call i32 @last(ptr %p)
  ret i32 %x
}
